import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Testing

@Suite struct HostRulesTests {
  private struct Broke: Error, CustomStringConvertible { let description = "it broke" }
  private struct Coin: Codable, Equatable { var amount: Int; var kind = "euro" }

  private static let flow = """
    state { coins = 0, bonus = none, rows = list {}, names = map {}, user = { name = "Ann", tags = list {} },
            when_entered = 0 }
    action.coin { amount = integer { min = 1 }, kind = string { default = "euro" } }
    action.push {}
    machine.door { initial = "shut", shut = { push = "open" },
      open = { push = "shut", on_enter = function(s) s.when_entered = s.coins end } }
    function gate.coin(s, a) return a.amount < 100, "too much" end
    function reduce.coin(s, a) s.coins = s.coins + a.amount end
    function invariant.small(s) return s.coins < 50, "too many coins" end
    function view.coins(s) return s.coins end
    function view.chance(s) return random end
    """

  private func host(_ source: String = flow, _ change: (inout HostOptions) -> Void) throws
    -> FlowHost
  {
    var options = HostOptions(clock: .virtual, seed: 3)
    change(&options)
    return try FlowHost(source: source, options: options)
  }

  /// Returns the outcome of a dispatch of `push` with this reducer, and the state after it.
  private func pushing(
    _ body: @escaping @Sendable (StateWriter, DispatchedAction) throws -> Void
  ) throws -> (outcome: Outcome, state: Value) {
    let host = try host { $0.addReducer(for: "push", file: "App/Rules.swift", line: 7, body) }
    return (try host.dispatch("push"), try host.state())
  }

  // MARK: Reducers

  @Test(
    "a native reducer runs after the flow's own, with its payload, and its changes are in the patch"
  )
  func reducer() throws {
    let host = try host { options in
      options.addReducer(for: "coin") { state, action in
        #expect(try action.payload(as: Coin.self) == Coin(amount: 2))
        #expect(action.name == "coin" && action["amount"] == 2 && action["none"] == .nil)
        let coins: Int = try state.value(at: "coins")
        try state.set("coins", to: coins * 10)
        try state.append(Coin(amount: 2), to: "rows")
      }
    }
    guard case .passed(let commit) = try host.dispatch("coin", ["amount": 2]) else {
      Issue.record("coin did not pass")
      return
    }
    #expect(
      commit.writes.description
        == "coins: 0 -> 20\nrows[1]: inserted { amount = 2, kind = \"euro\" }")
    #expect(try host.view("coins") == 20)
    try host.undo()
    #expect(try host.state()["rows"] == [])
    try host.redo()
    #expect(try host.state()["coins"] == 20)
  }

  @Test("several native reducers run in the order in which they were added, before on_enter")
  func order() throws {
    let host = try host { options in
      options.addReducer(for: "push") { state, _ in try state.set("coins", to: 3) }
      options.addReducer(for: "push") { state, _ in
        try state.set("coins", to: state.value(at: "coins", as: Int.self) + 1)
        #expect(try state.value(at: "door") == "open")
      }
    }
    #expect(try host.dispatch("push").isPassed)
    #expect(try host.state()["when_entered"] == 4)
  }

  @Test(
    "an error in a native reducer fails the action, names where it was added, and changes nothing")
  func throwing() throws {
    let (outcome, state) = try pushing { state, _ in
      try state.set("coins", to: 5)
      throw Broke()
    }
    #expect(outcome.description == "App/Rules.swift:7: it broke")
    #expect(state["coins"] == 0 && state["door"] == "shut")
  }

  @Test("a native reducer that violates an invariant is rolled back")
  func invariant() throws {
    let (outcome, state) = try pushing { state, _ in try state.set("coins", to: 50) }
    #expect(outcome.description.contains("invariant.small does not hold: too many coins"))
    #expect(state["coins"] == 0)
  }

  @Test("values can be read, set, inserted and removed by path")
  func places() throws {
    let (outcome, state) = try pushing { state, _ in
      try state.set("rows", to: [["n": 1], ["n": 2]])
      try state.set(["rows", 1, "n"], to: 10)
      try state.insert(["n": 0], at: ["rows", 1])
      #expect(try state.remove(at: ["rows", 3]) == ["n": 2])
      try state.append(["n": 3], to: "rows")
      try state.set(["names", 7], to: "seven")
      try state.set(["names", 8], to: "eight")
      #expect(try state.remove(at: ["names", 7]) == "seven")
      try state.append("vip", to: ["user", "tags"])
      try state.set("bonus", to: 1.5)
      #expect(try state.remove(at: "bonus") == 1.5)
      #expect(try state.value(at: "bonus") == .nil)
      #expect(try state.value(at: "bonus", as: Double?.self) == nil)
      #expect(try state.value(at: ["rows", 9]) == .nil)
      #expect(try state.value(at: ["rows", 2, "n"], as: Int.self) == 10)
      #expect(try state.value(at: [])["coins"] == 0)
    }
    #expect(outcome.isPassed, "\(outcome)")
    #expect(state["rows"] == [["n": 0], ["n": 10], ["n": 3]])
    #expect(state["names"] == .map([8: "eight"]))
    #expect(state["user"] == ["name": "Ann", "tags": ["vip"]])
  }

  @Test("a list that is set to an empty array stays a list")
  func emptyList() throws {
    let (outcome, state) = try pushing { state, _ in
      try state.set(["user", "tags"], to: [] as [String])
      try state.append("a", to: ["user", "tags"])
    }
    #expect(outcome.isPassed, "\(outcome)")
    #expect(state["user"]?["tags"] == ["a"])
  }

  private static let faults: [(String, @Sendable (StateWriter) throws -> Void)] = [
    ("state has no field coinz; did you mean coins?", { _ = try $0.value(at: "coinz") }),
    ("state has no field coinz; did you mean coins?", { try $0.set("coinz", to: 1) }),
    ("user has no field nam; did you mean name?", { try $0.set(["user", "nam"], to: 1) }),
    (
      "user.name.first: user.name is a string, which has no fields",
      { try $0.set(["user", "name", "first"], to: 1) }
    ),
    ("bonus.x: bonus is nothing, which has no fields", { _ = try $0.value(at: ["bonus", "x"]) }),
    ("coins", { try $0.set("coins", to: .nil) }),
    ("door", { try $0.set("door", to: "open") }),
    ("coins is a number, not a list", { try $0.append(1, to: "coins") }),
    ("rows[3]: 3 is not a position in a list of 0", { try $0.insert(1, at: ["rows", 3]) }),
    ("rows[1]: 1 is not a position in a list of 0", { try $0.remove(at: ["rows", 1]) }),
    ("rows", { try $0.set(["rows", 2], to: 1) }),
    ("NaN is not plain data", { try $0.set("bonus", to: .number(.nan)) }),
    ("the whole state cannot be written: name a field", { try $0.set([], to: 1) }),
    (
      "coins is not of type String: expected a string, got 0",
      { _ = try $0.value(at: "coins", as: String.self) }
    ),
  ]

  @Test("an invalid path or value fails the action", arguments: faults.indices)
  func faulty(index: Int) throws {
    let (message, body) = Self.faults[index]
    let (outcome, state) = try pushing { state, _ in
      try state.append(1, to: "rows")
      try state.remove(at: ["rows", 1])
      try body(state)
    }
    guard case .failed(let failure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.kind == .script)
    #expect(failure.message.contains(message), "\(failure)")
    #expect(failure.script?.place == "App/Rules.swift:7")
    #expect(state["door"] == "shut")
  }

  @Test("a caught error of a native reducer has no consequence, but an exceeded limit does")
  func caught() throws {
    let (outcome, _) = try pushing { state, _ in try? state.set("coinz", to: 1) }
    #expect(outcome.isPassed)
    let host = try host { options in
      options.limits.memory = 2 << 20
      options.addReducer(for: "push") { state, _ in
        for _ in 0..<100 {
          try? state.append(.string(String(repeating: "x", count: 100_000)), to: "rows")
        }
      }
    }
    guard case .failed(let failure) = try host.dispatch("push") else {
      Issue.record("the limit did not fail the action")
      return
    }
    #expect(failure.kind == .limit)
    #expect(try host.state()["rows"] == [])
    #expect(try host.dispatch("coin", ["amount": 1]).isPassed)
  }

  @Test("random draws of a native reducer use the flow's generator, and undo restores it")
  func chance() throws {
    let drawn = Mutex<[Int]>([])
    let fails = Mutex(true)
    let host = try host { options in
      options.addReducer(for: "push") { state, _ in
        let number = try state.random(in: 1...1_000_000)
        #expect(try 0..<1 ~= state.random())
        drawn.withLock { $0.append(number) }
        if fails.withLock({ $0 }) { throw Broke() }
        #expect(try state.now == 2.5)
      }
    }
    try host.advance(2.5)
    #expect(try !host.dispatch("push").isPassed)
    fails.withLock { $0 = false }
    #expect(try host.dispatch("push").isPassed)
    #expect(drawn.withLock { $0[0] == $0[1] })
    try host.dispatch("push")
    #expect(drawn.withLock { $0[1] != $0[2] })
  }

  // MARK: Gates

  @Test("native rules are evaluated after the flow's own, in the order in which they were added")
  func gates() throws {
    let asked = Mutex<[String]>([])
    let host = try host { options in
      options.addGate("first", for: ["coin"], file: "App/Rules.swift", line: 3) { state, action in
        asked.withLock { $0.append("first") }
        return try state.value(at: "coins", as: Int.self) < 5
          ? .passes : .refuses("\(action.name): enough")
      }
      options.addGate("second") { _, action in
        asked.withLock { $0.append("second \(action.name)") }
        return .passes
      }
    }
    #expect(try host.dispatch("coin", ["amount": 100]).description.contains("too much"))
    #expect(asked.withLock { $0 } == [])
    #expect(try host.dispatch("coin", ["amount": 9]).isPassed)
    #expect(try host.dispatch("push").isPassed)
    guard case .refused(let refusal) = try host.may("coin", ["amount": 1]) else {
      Issue.record("coin may pass")
      return
    }
    #expect(refusal.description == "refused by gate first: coin: enough")
    #expect(refusal.place == SourcePlace(file: "App/Rules.swift", line: 3))
    #expect(asked.withLock { $0 } == ["first", "second coin", "second push", "first"])
  }

  @Test("a native rule that throws fails the action")
  func throwingGate() throws {
    let host = try host { options in
      options.addGate("broken", for: ["push"], file: "App/Rules.swift", line: 4) { _, _ in
        throw Broke()
      }
    }
    guard case .failed(let failure) = try host.dispatch("push") else {
      Issue.record("push did not fail")
      return
    }
    #expect(failure.description == "App/Rules.swift:4: it broke")
  }

  // MARK: The handle and the host

  /// Holds a value that a test must not retain.
  private final class Pocket: @unchecked Sendable {
    // Sound: one test uses it, on one thread.
    var state: StateWriter?
  }

  @Test("a native reducer's state cannot be used after the reducer has returned")
  func escaped() throws {
    let pocket = Pocket()
    let host = try host { $0.addReducer(for: "push") { state, _ in pocket.state = state } }
    #expect(try host.dispatch("push").isPassed)
    let state = try #require(pocket.state)
    let late = "the state is out of reach: the native reducer of push has returned"
    #expect(throws: ScriptError(kind: .runtime, message: late)) { try state.set("coins", to: 1) }
    #expect(throws: ScriptError(kind: .runtime, message: late)) { try state.value(at: "coins") }
    #expect(throws: ScriptError(kind: .runtime, message: late)) { try state.random() }
    #expect(throws: ScriptError(kind: .runtime, message: late)) { try state.now }
    #expect(try host.state()["coins"] == 0)
  }

  @Test("a native reducer that calls the host fails its action with the reason")
  func reentrant() throws {
    let pocket = Mutex<FlowHost?>(nil)
    let host = try host { options in
      options.addReducer(for: "push") { _, _ in try pocket.withLock { $0 }?.dispatch("push") }
    }
    pocket.withLock { $0 = host }
    let outcome = try host.dispatch("push")
    #expect(outcome.description.contains("was called from inside its own closure"))
    pocket.withLock { $0 = nil }
  }

  @Test("a native rule for an undeclared action is an error with the nearest name")
  func undeclared() {
    #expect {
      try self.host { $0.addReducer(for: "pusj", file: "A/B.swift", line: 1) { _, _ in } }
    } throws: {
      "\($0)"
        == "A/B.swift:1: a native reducer: flow.lua declares no action pusj; did you mean push?"
    }
    #expect {
      try self.host {
        $0.addGate("g", for: ["coins"], file: "A/B.swift", line: 2) { _, _ in .passes }
      }
    } throws: {
      "\($0)" == "A/B.swift:2: gate g: flow.lua declares no action coins; did you mean coin?"
    }
  }

  @Test("native rules and reducers remain after a reload and a replay, and in every host of a flow")
  func again() throws {
    var options = HostOptions(clock: .virtual, keepsTranscript: true)
    options.addReducer(for: "push") { state, _ in
      try state.set("coins", to: state.value(at: "coins", as: Int.self) + 1)
    }
    let loaded = try LoadedFlow(source: Self.flow)
    for _ in 0..<2 {
      let host = try FlowHost(loaded, options: options)
      try host.dispatch("push")
      try host.reload()
      try host.dispatch("push")
      #expect(try host.state()["coins"] == 2)
      #expect(try host.reload(.replay) == nil)
      #expect(try host.state()["coins"] == 2)
    }
  }
}
