import LuaRuntime
import Moonlatch
import Testing

@Suite struct EngineHistoryTests {
  private func engine(_ source: String, history: Int) throws -> Engine {
    let limits = Limits(history: history)
    return try Engine(
      LoadedFlow(source: source, limits: limits), limits: limits, log: ScriptLog { _ in })
  }

  @Test("a jump never replays more than 1,000 transitions, wherever it leads from and to")
  func jumps() throws {
    let engine = try engine(
      """
      state { n = 0, roll = 0.0, last = list {} } action.add {}
      function reduce.add(s) s.n = s.n + 1 s.roll = random() s.last[#s.last % 5 + 1] = s.n end
      """, history: 4_000)
    var states: [Int: Value] = [:]
    for revision in 1...5_500 {
      #expect(engine.dispatch("add", [:]).isPassed)
      if revision % 250 == 0 { states[revision] = try engine.state() }
    }
    for target in [1_500, 5_500, 2_500, 2_000, 5_250, 1_750, 3_000, 4_250, 1_500] {
      let replayed = try engine.go(to: target)
      #expect(replayed <= 1_000, "to \(target)")
      #expect(try engine.state() == states[target], "at \(target)")
    }
    #expect(throws: HistoryError.self) { try engine.go(to: 1_499) }
    #expect(throws: HistoryError.self) { try engine.go(to: 5_501) }
    for _ in 1...2_000 { _ = engine.dispatch("add", [:]) }
    #expect(engine.revision == 3_500)
    #expect(try engine.go(to: 1_750) <= 1_000)
    #expect(try engine.state() == states[1_750])
  }

  @Test("going back to an opening, what was pending in it is not stale")
  func openings() throws {
    let trial = try Trial(
      """
      state { id = none, n = 0 } action.open {} action.shut {} action.begin {} action.go {} action.tick {}
      scope.s { key = function(s) return s.id end, actions = { "begin", "go" } }
      function reduce.open(s) s.id = 1 end
      function reduce.shut(s) s.id = nil end
      function reduce.go(s) s.n = s.n + 1 end
      function effect.begin() after(5, "go") end
      """)
    for action in ["open", "begin", "shut"] { try trial.play(action) }
    #expect(try trial.host.settle() == [])
    try trial.host.undo()
    #expect(try trial.host.settle() == ["go is due at 5.0"])
    try trial.advance(5)
    #expect(trial.told() == [])
    #expect(try trial.state("n") == 1)
  }

  @Test("a timer that was restored dies with its scope")
  func restoredTimer() throws {
    let trial = try Trial(
      """
      state { id = none } action.open {} action.shut {} action.begin {} action.tick {}
      scope.s { key = function(s) return s.id end, actions = { "begin" } }
      function reduce.open(s) s.id = 1 end
      function reduce.shut(s) s.id = nil end
      function effect.begin() after(5, "tick") end
      """)
    for action in ["open", "begin", "shut"] { try trial.play(action) }
    try trial.host.undo()
    try trial.play("shut")
    #expect(try trial.host.settle() == [])
  }
}
