import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

/// Timers, eventless transitions, history and counts of machines for records.
extension RecordMachinesTests {
  static let timed = """
    state { players = map { ann = { n = 1 } }, log = list {} }
    action.join { id = string } action.leave { id = string } action.ready { id = string }
    action.late { id = string } action.rename { from = string, to = string }
    action.beat { id = string }
    machine.stage {
      each = "players", which = "id", without = { join = true }, initial = "waiting",
      waiting = { after = { late = 10 }, late = "late", ready = "ready", leave = true, join = true },
      ready = { after = { { function(s, a, it) return it.n end, "played" } }, leave = true },
      played = { every = { beat = 5 }, leave = true, beat = { reduce = function(s, a, it, id)
        table.insert(s.log, id) end } },
      late = { final = true, leave = true },
    }
    function reduce.join(s, a) s.players[a.id] = { n = 2 } end
    function reduce.leave(s, a) s.players[a.id] = nil end
    function reduce.rename(s, a)
      s.players[a.from], s.players[a.to] = s.players[a.to], s.players[a.from]
    end
    """

  func stage(_ id: String, in engine: Engine) throws -> String? {
    try engine.state()["players"]?[id]?["stage"]?.stringValue
  }

  @Test("each record has its own timers, which dispatch their action with the record's key")
  func timers() throws {
    let engine = try engine(Self.timed)
    engine.advance(4)
    #expect(engine.dispatch("join", ["id": "bob"]).commit != nil)
    engine.advance(6)
    #expect(try stage("ann", in: engine) == "late")
    #expect(try stage("bob", in: engine) == "waiting")
    engine.advance(4)
    #expect(try stage("bob", in: engine) == "late")
  }

  @Test("a timed transition changes its own record, after a delay computed from the record")
  func timedTransitions() throws {
    let engine = try engine(Self.timed)
    _ = engine.dispatch("join", ["id": "bob"])
    for id in ["ann", "bob"] { _ = engine.dispatch("ready", ["id": .string(id)]) }
    var told: [String] = []
    engine.observers.commitHandler = { told.append($0.action) }
    engine.advance(1)
    #expect(try stage("ann", in: engine) == "played")
    #expect(try stage("bob", in: engine) == "ready")
    engine.advance(1)
    #expect(try stage("bob", in: engine) == "played")
    #expect(told == [#"after 1 s in stage["ann"].ready"#, #"after 2 s in stage["bob"].ready"#])
    engine.advance(10)
    #expect(try engine.state()["log"] == ["ann", "bob", "ann", "bob"])
  }

  @Test("a state that an eventless transition leaves in the same macrostep sets no timer")
  func passedThrough() throws {
    let engine = try engine(
      """
      state { ends = map { a = { n = 1 }, b = { n = 9 } } }
      action.all {}
      machine.m { each = "ends", which = "id", initial = "idle",
        idle = { all = "busy" },
        busy = { after = { { 20, "idle" } },
          always = { to = "over", when = function(it) return it.n > 5 end } },
        over = {} }
      """)
    #expect(engine.dispatch("all", [:]).commit != nil)
    #expect(engine.pendingWork.map(\.title) == [#"after 20 s in m["a"].busy"#])
  }

  @Test("timers move with their record, and are removed with it")
  func timersMove() throws {
    let engine = try engine(Self.timed)
    engine.advance(4)
    _ = engine.dispatch("join", ["id": "bob"])
    #expect(engine.dispatch("rename", ["from": "ann", "to": "bob"]).commit != nil)
    engine.advance(6)
    #expect(try stage("bob", in: engine) == "late")
    #expect(try stage("ann", in: engine) == "waiting")
    _ = engine.dispatch("leave", ["id": "ann"])
    #expect(engine.caseState.timers.isEmpty)
    _ = try engine.go(to: 2)
    #expect(engine.caseState.timers.count == 2)
    #expect(try stage("ann", in: engine) == "waiting")
    engine.advance(4)
    #expect(try stage("bob", in: engine) == "waiting")
  }

  @Test("records that undo restores or removes have each timer exactly once")
  func timersAfterUndo() throws {
    let engine = try engine(Self.timed)
    _ = engine.dispatch("join", ["id": "bob"])
    _ = engine.dispatch("leave", ["id": "ann"])
    try engine.undo()
    #expect(engine.caseState.timers.count == 2)
    #expect(engine.dispatch("ready", ["id": "bob"]).commit != nil)
    #expect(engine.caseState.timers.count == 2)
    try engine.undo()
    try engine.redo()
    #expect(engine.dispatch("join", ["id": "cid"]).commit != nil)
    #expect(engine.caseState.timers.count == 3)
  }

  @Test("a reload keeps the timers of records, and adds none")
  func timersAfterReload() throws {
    let old = try engine(Self.timed)
    _ = old.dispatch("join", ["id": "bob"])
    let engine = try engine(Self.timed)
    try engine.adoptState(of: old)
    #expect(engine.caseState.timers.count == 2)
    _ = engine.dispatch("ready", ["id": "bob"])
    #expect(engine.caseState.timers.count == 2)
    engine.advance(10)
    #expect(try stage("ann", in: engine) == "late")
  }

  @Test("a record that replaces another has its own new timers")
  func replaced() throws {
    let engine = try engine(Self.timed)
    engine.advance(4)
    _ = engine.dispatch("join", ["id": "ann"])
    #expect(engine.caseState.timers.count == 1)
    engine.advance(6)
    #expect(try stage("ann", in: engine) == "waiting")
    engine.advance(4)
    #expect(try stage("ann", in: engine) == "late")
  }

  @Test("cloned hosts have the timers of the initial records")
  func castTimers() throws {
    let flow = try LoadedFlow(source: Self.timed)
    for _ in 1...4 {
      let engine = try Engine(flow, limits: Limits(), log: ScriptLog { _ in })
      #expect(engine.caseState.timers.count == 1)
    }
  }

  @Test("a timer of a record needs an action with the record's key")
  func timerFault() {
    #expect(throws: FlowError.self) {
      try LoadedFlow(
        source: """
          state { players = map {} }
          action.tick {}
          machine.stage { each = "players", which = "id", initial = "a", a = { after = { tick = 1 }, tick = true } }
          """)
    }
  }

  static let goingOn = """
    state { orders = map {}, log = list {} }
    action.order { id = string } action.pay { id = string, amount = integer } action.pack { id = string }
    action.touch { id = string } action.spin { id = string } action.both {} action.drop { id = string }
    machine.phase {
      each = "orders", which = "id", without = { order = true }, initial = "open",
      open = { pay = true, always = { to = "paid", when = function(it) return it.paid >= it.price end } },
      paid = {
        parallel = { "goods", "invoice" }, on_done = "shipped", touch = true,
        goods = { initial = "lying", lying = { pack = "packed" }, packed = { final = true } },
        invoice = { initial = "due", due = { after = { touch = 60 }, touch = "sent" }, sent = { final = true } },
      },
      shipped = { final = true, on_enter = function(s, a, it, id) table.insert(s.log, id) end },
      spin = "mad", both = true, drop = true,
      mad = { always = "madder" }, madder = { always = { to = "mad", when = function(it) return it.n > 0 end } },
    }
    function reduce.order(s, a) s.orders[a.id] = { price = 10, paid = a.id == "free" and 10 or 0, n = 1 } end
    function reduce.pay(s, a) s.orders[a.id].paid = s.orders[a.id].paid + a.amount end
    function reduce.drop(s, a) s.orders[a.id] = nil end
    function reduce.both(s) for _, it in pairs(s.orders) do it.paid = 99 end end
    """

  func phase(_ id: String, in engine: Engine) throws -> Value? {
    try engine.state()["orders"]?[id]?["phase"]
  }

  @Test("eventless transitions of a record fire if something that they read has changed")
  func rounds() throws {
    let engine = try engine(Self.goingOn)
    for id in ["a", "b"] {
      #expect(engine.dispatch("order", ["id": .string(id)]).commit != nil)
    }
    #expect(engine.dispatch("pay", ["id": "a", "amount": 4]).commit != nil)
    #expect(try phase("a", in: engine) == "open")
    let commit = try #require(engine.dispatch("pay", ["id": "a", "amount": 6]).commit)
    #expect(try phase("a", in: engine) == "paid")
    #expect(try phase("b", in: engine) == "open")
    #expect(commit.writes.description.contains("phase"))
    #expect(try engine.state()["orders"]?["a"]?["goods"] == "lying")
    #expect(engine.dispatch("pack", ["id": "a"]).commit != nil)
    engine.advance(60)
    #expect(try phase("a", in: engine) == "shipped")
    #expect(try engine.state()["log"] == ["a"])
    try engine.undo()
    #expect(try phase("a", in: engine) == "paid")
    try engine.redo()
    #expect(try phase("a", in: engine) == "shipped")
  }

  @Test("a new record takes its eventless transitions at once, and so do several records together")
  func roundsOfMany() throws {
    let engine = try engine(Self.goingOn)
    _ = engine.dispatch("order", ["id": "free"])
    #expect(try phase("free", in: engine) == "paid")
    #expect(engine.caseState.timers.count == 1)
    for id in ["a", "b"] { _ = engine.dispatch("order", ["id": .string(id)]) }
    #expect(engine.dispatch("both", [:]).commit != nil)
    #expect(try phase("a", in: engine) == "paid")
    #expect(try phase("b", in: engine) == "paid")
    #expect(engine.caseState.timers.count == 3)
    _ = engine.dispatch("drop", ["id": "a"])
    #expect(engine.caseState.timers.count == 2)
  }

  @Test("endless eventless transitions of a record exceed a limit, and nothing changes")
  func endless() throws {
    let engine = try engine(Self.goingOn)
    _ = engine.dispatch("order", ["id": "a"])
    let before = try engine.state()
    let failure = try #require(engine.dispatch("spin", ["id": "a"]).failure)
    #expect(failure.kind == .limit)
    #expect(failure.message.contains("mad"))
    #expect(try engine.state() == before)
    #expect(engine.dispatch("pay", ["id": "a", "amount": 10]).commit != nil)
    #expect(try phase("a", in: engine) == "paid")
  }

  @Test("the history value of a record moves with it, and undo restores it")
  func history() throws {
    let engine = try engine(
      """
      state { players = map {} }
      action.join { id = string } action.power { id = string } action.next { id = string }
      action.rename { from = string, to = string } action.leave { id = string }
      machine.player { each = "players", which = "id", without = { join = true }, initial = "off",
        join = true, leave = true,
        off = { power = { to = "on", history = true } },
        on = { power = "off", initial = "a", a = { next = "b" }, b = { next = "a" } } }
      function reduce.join(s, a) s.players[a.id] = { n = 1 } end
      function reduce.leave(s, a) s.players[a.id] = nil end
      function reduce.rename(s, a)
        local it = s.players[a.from] s.players[a.from] = nil s.players[a.to] = it
      end
      """)
    func at(_ id: String) throws -> Value? { try engine.state()["players"]?[id]?["player"] }
    for action in ["join", "power", "next", "power"] { _ = engine.dispatch(action, ["id": "x"]) }
    #expect(try at("x") == "off")
    _ = engine.dispatch("rename", ["from": "x", "to": "y"])
    _ = engine.dispatch("join", ["id": "x"])
    for id in ["x", "y"] { _ = engine.dispatch("power", ["id": .string(id)]) }
    #expect(try at("x") == "on.a")
    #expect(try at("y") == "on.b")
    _ = engine.dispatch("leave", ["id": "y"])
    _ = engine.dispatch("join", ["id": "y"])
    _ = engine.dispatch("power", ["id": "y"])
    #expect(try at("y") == "on.a")
    try engine.undo(4)
    #expect(try at("y") == "off")
    _ = engine.dispatch("power", ["id": "y"])
    #expect(try at("y") == "on.b")
  }

  @Test("why shows the transition of each record")
  func explained() throws {
    let engine = try engine(Self.lobby)
    for id in ["ann", "bob"] { _ = engine.dispatch("join", ["id": .string(id)]) }
    func told(_ action: String, _ payload: Value) -> [String] {
      engine.explain(action, payload).decisions.map { "\($0.verdict) \($0.note ?? "")" }
    }
    #expect(
      told("ready", ["id": "ann"]).last?.contains(#"players["ann"]: waiting -> ready"#) == true)
    #expect(told("ready", ["id": "zoe"]).last?.contains("there is no players") == true)
    #expect(told("start", [:]).last?.contains("not ready") == true)
    #expect(engine.refusalOfAnyPayload("hit") == nil)
  }

  static let counting =
    lobby + """

      function view.ready(s) return count_in(s, "stage.ready") end
      function view.all_ready(s) return all_in(s, "stage.ready") end
      function view.anyone(s) return count_in(s, "stage") end
      function view.is_ready(s)
        local is = {}
        for id, it in pairs(s.players) do is[id] = in_state(it, "stage.ready") end
        return is
      end
      function invariant.few(s) return count_in(s, "stage.ready") <= 2, "too many are ready" end
      action.ask { what = string }
      function reduce.ask(s, a)
        if a.what == "root" then in_state(s, "stage.ready")
        elseif a.what == "once" then count_in(s, "lobby.open")
        elseif a.what == "unknown" then count_in(s, "stage.redy")
        elseif a.what == "record" then count_in(s.players, "stage.ready") end
      end
      """

  @Test("records are counted by state, and views with counts are recomputed")
  func counts() throws {
    let host = try FlowHost(source: Self.counting)
    func counts() throws -> [Value] {
      try [host.view("ready"), host.view("all_ready"), host.view("anyone"), host.view("is_ready")]
    }
    #expect(try counts() == [0, true, 0, [:]])
    for id in ["a", "b", "c"] { _ = try host.dispatch("join", ["id": .string(id)]) }
    #expect(try counts().prefix(3) == [0, false, 3])
    for id in ["a", "b"] { _ = try host.dispatch("ready", ["id": .string(id)]) }
    #expect(try counts() == [2, false, 3, ["a": true, "b": true, "c": false]])
    #expect(try host.dispatch("ready", ["id": "c"]).failure?.message.contains("too many") == true)
    #expect(try counts().prefix(3) == [2, false, 3])
    _ = try host.dispatch("leave", ["id": "c"])
    #expect(try counts().prefix(3) == [2, true, 2])
    _ = try host.undo(2)
    #expect(try counts().prefix(3) == [1, false, 3])
    _ = try host.redo()
    #expect(try counts().prefix(3) == [2, false, 3])
    _ = try host.dispatch("clear")
    #expect(try counts() == [0, true, 0, [:]])
  }

  @Test(
    "a wrong argument of count_in is an error that says what to write",
    arguments: [
      ("root", #"test one, in_state(it, "stage.ready"), or count them"#),
      (
        "once", #"lobby.open is a state of a single machine: in_state(s, "lobby.open")"#
      ),
      ("unknown", "did you mean stage.ready?"),
      ("record", "count_in takes the state and a state of records"),
    ])
  func miscounted(_ what: String, _ message: String) throws {
    let host = try FlowHost(source: Self.counting)
    let failure = try host.dispatch("ask", ["what": .string(what)]).failure
    #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
  }
}
