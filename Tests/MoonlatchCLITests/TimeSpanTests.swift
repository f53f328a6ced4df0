import SharedCommands
import Testing

@Suite struct TimeSpanTests {
  @Test(
    "help shows a duration as people write it",
    arguments: [
      ("30d", "30 days"), ("1d", "1 day"), ("125", "2 min 5 s"), ("1h30m", "1 h 30 min"),
      ("5", "5 s"),
    ])
  func description(argument: String, text: String) {
    #expect(TimeSpan(argument: argument)?.defaultValueDescription == text)
  }
}
