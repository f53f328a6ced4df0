import LuaRuntime
import Testing

@Suite struct DurationTextTests {
  private static let texts: [(seconds: Double, text: String)] = [
    (0, "0 s"), (0.5, "0.5 s"), (1e-9, "1e-09 s"), (59, "59 s"), (60, "1 min"), (90, "1 min 30 s"),
    (125, "2 min 5 s"), (125.1, "2 min 5.1 s"), (3_600, "1 h"), (5_400, "1 h 30 min"),
    (86_400, "1 day"), (90_061, "1 day 1 h 1 min 1 s"), (2_592_000, "30 days"),
    (-90, "-1 min 30 s"), (-5, "-5 s"), (1e15, "1000000000000000.0 s"), (.infinity, "math.huge s"),
  ]

  @Test(
    "a duration is shown in days, hours, minutes and seconds, as far as it has them",
    arguments: texts)
  func text(seconds: Double, text: String) {
    #expect(DurationText.text(seconds) == text)
  }

  @Test("microseconds and durations are shown alike")
  func others() {
    #expect(DurationText.text(microseconds: 125_000_000) == "2 min 5 s")
    #expect(DurationText.text(microseconds: 1_500_000) == "1.5 s")
    #expect(DurationText.text(microseconds: -.max).hasPrefix("-106751991 days"))
    #expect(DurationText.text(Duration.seconds(7_200)) == "2 h")
  }
}
