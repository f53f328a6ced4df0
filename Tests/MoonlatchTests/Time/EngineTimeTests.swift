import Testing

@testable import Moonlatch

@Suite struct EngineTimeTests {
  @Test("the clock stops at the end of time instead of running over, and so do timers")
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

  @Test("a time is whole microseconds, and has an end")
  func microseconds() {
    #expect(EngineTime.microseconds(1.5) == 1_500_000)
    #expect(EngineTime.later(5, by: 7) == 12)
    #expect(EngineTime.later(.max - 1, by: 7) == .max)
  }
}
