import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

@Suite struct EngineTimeTests {
  @Test("the clock and timers stop at the maximum time instead of overflowing")
  func endOfTime() throws {
    var options = HostOptions()
    options.clock = .virtual
    let host = try FlowHost(
      source: """
        state { n = 0 }
        action.go {}
        action.tick {}
        function reduce.tick(s) s.n = s.n + 1 end
        function effect.go() after(1e300, "tick") sleep(1e300) end
        """, options: options)
    try host.advance(1e300)
    #expect(try host.dispatch("go").isPassed)
    try host.advance(1e300)
    try host.advance(1e300)
    #expect(try host.state()["n"] == 1)
  }

  @Test("a time is whole microseconds, and has a maximum")
  func microseconds() {
    #expect(EngineTime.microseconds(1.5) == 1_500_000)
    #expect(EngineTime.later(5, by: 7) == 12)
    #expect(EngineTime.later(EngineTime.last - 1, by: 7) == EngineTime.last)
  }

  @Test("any number is converted to a time in the valid range")
  func anything() {
    let range = -EngineTime.last...EngineTime.last
    for seconds in [0, -0.0, 1e-300, 1e12, -1e12, 1e300, -1e300, .infinity, -.infinity, .nan] {
      #expect(range.contains(EngineTime.microseconds(seconds)), "\(seconds)")
    }
    for duration in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .seconds(-1)] {
      #expect(range.contains(EngineTime.microseconds(duration)), "\(duration)")
    }
    for time in [Int.min, -1, 0, 1, .max] {
      for delay in [Int.min, -1, 0, 1, .max] {
        #expect(range.contains(EngineTime.later(time, by: delay)), "\(time) \(delay)")
      }
    }
    #expect(EngineTime.microseconds(.nan) == 0)
    #expect(EngineTime.microseconds(-1e300) == -EngineTime.last)
  }

  @Test("an invalid time does not move the clock, and the transcript can be read again")
  func backwards() throws {
    let engine = try Engine(
      LoadedFlow(source: "state {}"), limits: Limits(), log: ScriptLog { _ in })
    engine.observers.transcript = Transcript(flow: "f", hash: "", seed: 0)
    for seconds in [-1e300, .nan, -.infinity, .infinity, 1] { engine.advance(seconds) }
    engine.advance(microseconds: .min)
    engine.setTime(.max)
    #expect(engine.time == EngineTime.last)
    let text = try #require(engine.observers.transcript?.text)
    #expect(try Transcript(text: text).text == text)
  }
}
