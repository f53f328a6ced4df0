import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

@Suite struct EngineHistoryTests {
  private func engine(_ source: String, history: Int) throws -> Engine {
    let limits = Limits(history: history)
    return try Engine(
      LoadedFlow(source: source, limits: limits), limits: limits, log: ScriptLog { _ in })
  }

  @Test("a jump in a long history restores the state of its revision, from any position")
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
      try engine.go(to: target)
      #expect(try engine.state() == states[target], "at \(target)")
    }
    #expect(throws: HistoryError.self) { try engine.go(to: 1_499) }
    #expect(throws: HistoryError.self) { try engine.go(to: 5_501) }
    for _ in 1...2_000 { _ = engine.dispatch("add", [:]) }
    #expect(engine.revision == 3_500)
    #expect(engine.history.reachable == 1_500...3_500)
    #expect(throws: HistoryError.self) { try engine.redo() }
    try engine.go(to: 1_750)
    #expect(try engine.state() == states[1_750])
  }

  @Test("50,000 changes are undone and redone in the memory in which they were made")
  func manyChanges() throws {
    let limits = Limits(instructionsPerDispatch: 100_000_000, memory: 12 << 20)
    let engine = try Engine(
      LoadedFlow(
        source: """
          state { list = list {} }
          action.fill {}
          action.raise {}
          function reduce.fill(s) for i = 1, 50000 do s.list[i] = i end end
          function reduce.raise(s) for i, n in ipairs(s.list) do s.list[i] = n + 1 end end
          """, limits: limits), limits: limits, log: ScriptLog { _ in })
    var states = [try engine.state()]
    for action in ["fill", "raise"] {
      #expect(engine.dispatch(action, [:]).isPassed)
      states.append(try engine.state())
    }
    for target in [1, 2, 0, 2, 1] {
      try engine.go(to: target)
      #expect(try engine.state() == states[target])
    }
  }

  @Test("a history without its oldest commits continues correctly after an undo")
  func branches() throws {
    let engine = try engine(
      """
      state { n = 0, path = "" } action.add { as = string }
      function reduce.add(s, a) s.n = s.n + 1 s.path = a.as end
      """, history: 10)
    func add(_ name: String) { #expect(engine.dispatch("add", ["as": .string(name)]).isPassed) }
    for number in 1...25 { add("\(number)") }
    try engine.undo(3)
    add("other")
    #expect(engine.history.commits.map(\.revision) == Array(16...23))
    try engine.undo()
    #expect(try engine.state() == ["n": 22, "path": "22"])
    try engine.redo()
    #expect(try engine.state() == ["n": 23, "path": "other"])
    for number in 24...30 { add("again \(number)") }
    #expect(engine.history.commits.map(\.revision) == Array(21...30))
    try engine.go(to: 20)
    #expect(try engine.state() == ["n": 20, "path": "20"])
    add("first of all")
    #expect(engine.history.reachable == 20...21)
    try engine.undo()
    #expect(try engine.state() == ["n": 20, "path": "20"])
  }

  @Test("a history larger than the VM's memory can be undone and redone completely")
  func largePatches() throws {
    let limits = Limits(memory: 8 << 20, history: 2_000)
    let engine = try Engine(
      LoadedFlow(source: keeping, limits: limits), limits: limits, log: ScriptLog { _ in })
    for number in 1...200 { #expect(dispatchKeep(number, in: engine)) }
    #expect(engine.history.size > 20 << 20)
    for target in [0, 200, 1, 150] {
      try engine.go(to: target)
      #expect(try engine.state()["n"] == .integer(target))
      #expect(try engine.state()["text"] == text(target))
    }
  }

  private let keeping = """
    state { text = "", n = 0 } action.keep { text = string }
    function reduce.keep(s, a) s.text, s.n = a.text, s.n + 1 end
    """

  private func text(_ number: Int) -> Value {
    .string(number == 0 ? "" : "\(number) " + String(repeating: "x", count: 100_000))
  }

  private func dispatchKeep(_ number: Int, in engine: Engine) -> Bool {
    engine.dispatch("keep", ["text": text(number)]).isPassed
  }

  @Test("a jump that fails in its last step is rolled back, however far it went")
  func failedFar() throws {
    let engine = try engine(
      keeping + """

        local seen = 0
        scope.s { actions = { "late" }, key = function(s)
          seen = seen + 1
          if seen == 22 then error("not now") end
          return s.n
        end }
        action.late {}
        gatekeeper.seat { keep = { attempt = "a", reset = "a" } }
        function view.holder() return (select(2, gatekeeper.seat:holder("a"))) or 0 end
        function effect.keep(self) after(60, "keep", { text = "" }) end
        """, history: 100)
    for number in 1...20 { #expect(dispatchKeep(number, in: engine)) }
    let (timers, holder) = (engine.caseState.timers.pending.count, try engine.view("holder"))
    #expect(throws: DispatchFailure.self) { try engine.go(to: 2) }
    #expect(engine.revision == 20)
    #expect(try engine.state() == ["n": 20, "text": text(20)])
    #expect(engine.caseState.timers.pending.count == timers)
    #expect(try engine.view("holder") == holder)
    try engine.go(to: 2)
    #expect(try engine.state() == ["n": 2, "text": text(2)])
    #expect(engine.caseState.timers.pending.count == 2)
    #expect(try engine.view("holder") == 2)
    try engine.go(to: 20)
    #expect(engine.caseState.timers.pending.count == timers)
    #expect(try engine.view("holder") == holder)
  }

  @Test("undo to an open scope restores what was pending in it, and it is not stale")
  func scopeInstances() throws {
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
    #expect(try trial.host.settle() == ["go is due at 5 s"])
    try trial.advance(5)
    #expect(trial.told() == [])
    #expect(try trial.state("n") == 1)
  }

  @Test("a view that reads the holder of an option is recomputed when the holder changes")
  func holders() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.take {} action.hand_over {}
      gatekeeper.seat { take = { attempt = "a" }, hand_over = { reset = "a", attempt = "a" } }
      function view.holder(s) return (gatekeeper.seat:holder("a")) or "nobody" end
      """)
    #expect(try trial.host.view("holder") == "nobody")
    try trial.host.dispatch("take")
    #expect(try trial.host.view("holder") == "take")
    try trial.host.dispatch("hand_over")
    #expect(try trial.host.view("holder") == "hand_over")
    try trial.host.undo()
    #expect(try trial.host.view("holder") == "take")
    try trial.host.redo()
    #expect(try trial.host.view("holder") == "hand_over")
  }

  @Test("a timer that undo restored ends with its scope")
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

  @Test("undo reports the effects that it stops and the queued actions that it drops")
  func told() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {} action.add {}
      function reduce.add(s) s.n = s.n + 1 end
      function effect.go() sleep(5) dispatch.add {} end
      """)
    for action in ["add", "go"] { try trial.play(action) }
    try trial.host.undo()
    #expect(trial.told() == ["effect.go of #2 was stopped: going to #1"])
    try trial.advance(10)
    #expect(try trial.state("n") == 1)
  }

  @Test("undo and redo restore the random generator of effects")
  func effectsGenerator() throws {
    let trial = try Trial(
      """
      state { rolls = list {} } action.roll {} action.keep { n = integer }
      function reduce.keep(s, a) s.rolls[#s.rolls + 1] = a.n end
      function effect.roll() dispatch.keep { n = random(1000000) } end
      """)
    try trial.play("roll")
    let first = try trial.state("rolls")
    try trial.host.go(to: 0)
    try trial.play("roll")
    #expect(try trial.state("rolls") == first)
    try trial.play("roll")
    let second = try trial.state("rolls")
    try trial.host.undo(2)
    try trial.play("roll")
    #expect(try trial.state("rolls") == second)
  }

  @Test("a failed jump changes neither the state nor anything beside it")
  func failedJump() throws {
    let trial = try Trial(
      """
      state { n = 0, bad = false } action.take {} action.late {} action.spoil {}
      gatekeeper.g { take = "attempt", late = "reset" }
      scope.s { key = function(s) if s.n == 0 and s.bad == nil then error("no") end return 1 end }
      function reduce.take(s) s.n = s.n + 1 end
      function effect.take() after(5, "late") end
      """)
    try trial.play("take")
    #expect(throws: HistoryError.self) { try trial.host.go(to: 7) }
    #expect(try trial.host.settle() == ["late is due at 5 s"])
    #expect(!(try trial.host.may("take").isGranted))
    try trial.host.undo()
    #expect(try trial.host.may("take").isGranted)
    try trial.host.redo()
    #expect(!(try trial.host.may("take").isGranted))
    #expect(try trial.host.settle() == ["late is due at 5 s"])
  }

  @Test("undo makes timers that have fired or were stopped pending again")
  func timersAlongTheHistory() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.arm { id = integer } action.fire { id = integer } action.calm {}
      function reduce.fire(s, a) s.n = s.n + 1 end
      function effect.arm(self, a) after(a.id, "fire", { id = a.id }) end
      function effect.calm() cancel("fire") end
      """)
    for id in 1...4 { try trial.play("arm", ["id": .integer(id)]) }
    let pending = try trial.host.settle()
    try trial.advance(2)
    try trial.play("calm")
    #expect(try trial.host.settle() == [])
    try trial.host.go(to: 4)
    #expect(try trial.host.settle() == pending)
    try trial.host.go(to: 2)
    #expect(try trial.host.settle() == Array(pending.prefix(2)))
    try trial.host.go(to: 6)
    #expect(try trial.host.settle() == Array(pending.suffix(2)))
  }
}
