import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

@Suite struct PostponedActionsTests {
  static let desk = """
    state { paid = list {}, asked = 0 }
    action.pay { amount = integer }
    action.start {}
    action.stop {}
    action.pause {}
    machine.desk {
      initial = "open",
      open   = { pay = true, start = "busy" },
      busy   = { postpone = { "pay" }, stop = "open", pause = "paused" },
      paused = { postpone = "pay", stop = "open" },
    }
    function reduce.pay(s, a) s.paid[#s.paid + 1] = a.amount end
    function view.count(s) return #s.paid end
    """

  @Test("a postponed action is dispatched again, in order, when the state is left")
  func order() throws {
    let trial = try Trial(Self.desk)
    try trial.play("start")
    #expect(try trial.play("pay", ["amount": 1]) == "pay is postponed (#2)")
    #expect(try trial.play("pay", ["amount": 2]) == "pay is postponed (#3)")
    #expect(try trial.state("paid") == [])
    let pending = try trial.host.pendingWork
    #expect(pending.map(\.kind) == [.postponed, .postponed])
    #expect(pending.map(\.postponedIn) == ["desk.busy", "desk.busy"])
    #expect(pending[0].description == "pay is postponed until desk.busy is left (by #2)")
    try trial.play("stop")
    #expect(try trial.state("paid") == [1, 2])
    #expect(try trial.host.pendingWork.isEmpty)
    #expect(try trial.host.revision == 6)
  }

  @Test("an action stays postponed in another state that postpones it")
  func again() throws {
    let trial = try Trial(Self.desk)
    try trial.play("start")
    try trial.play("pay", ["amount": 1])
    try trial.play("pause")
    #expect(try trial.host.pendingWork.map(\.postponedIn) == ["desk.paused"])
    try trial.play("stop")
    #expect(try trial.state("paid") == [1])
  }

  @Test("a postponed action counts as passed, and passing time does not end its wait")
  func time() throws {
    let trial = try Trial(Self.desk)
    try trial.play("start")
    #expect(try trial.host.may("pay", ["amount": 1]).isGranted)
    try trial.play("pay", ["amount": 1])
    try trial.advance(1e12)
    #expect(try trial.host.pendingWork.count == 1)
  }

  @Test("undo removes a postponed action, and redo restores it")
  func undo() throws {
    let trial = try Trial(Self.desk)
    try trial.play("start")
    try trial.play("pay", ["amount": 1])
    try trial.play("stop")
    try trial.host.go(to: 2)
    #expect(try trial.host.pendingWork.map(\.postponedIn) == ["desk.busy"])
    try trial.host.go(to: 1)
    #expect(try trial.host.pendingWork.isEmpty)
    try trial.host.go(to: 2)
    try trial.play("stop")
    #expect(try trial.state("paid") == [1])
  }

  @Test("postponed actions are limited, and one more is refused")
  func limit() throws {
    let trial = try Trial(Self.desk, limits: Limits(postponed: 1))
    try trial.play("start")
    try trial.play("pay", ["amount": 1])
    let sentence = "1 actions are postponed already (the limit postponed)"
    #expect(try trial.play("pay", ["amount": 2]) == "refused by machine desk: \(sentence)")
    #expect(try trial.host.may("pay", ["amount": 2]).refusal?.reason == sentence)
    try trial.play("stop")
    #expect(try trial.state("paid") == [1])
  }

  @Test(
    "a guard, a transition of a substate and one of another region take precedence over postponing")
  func precedence() throws {
    let trial = try Trial(
      """
      state { ready = false, got = 0 }
      action.pay {}
      action.prepare {}
      action.leave {}
      action.enter {}
      machine.shop {
        initial = "front",
        front = {
          initial = "door", postpone = "pay", leave = "out",
          door    = { pay = { reduce = function(s) s.got = s.got + 10 end, when = function(s) return s.ready end }, enter = "counter" },
          counter = { pay = { reduce = function(s) s.got = s.got + 1 end } },
        },
        out = { pay = { reduce = function(s) s.got = s.got + 100 end } },
      }
      function reduce.prepare(s) s.ready = true end
      """)
    #expect(try trial.play("pay") == "pay is postponed (#1)")
    try trial.play("prepare")
    #expect(try trial.play("pay") == "pay passed (#3)")
    try trial.play("enter")
    #expect(try trial.play("pay") == "pay passed (#5)")
    try trial.play("leave")
    #expect(try trial.state("got") == 111)
  }

  @Test("a machine that refuses the action takes precedence over one that postpones it")
  func machines() throws {
    let trial = try Trial(
      """
      state {}
      action.go {}
      action.lock {}
      action.free {}
      machine.a { initial = "busy", busy = { postpone = "go", free = "idle" }, idle = { go = true } }
      machine.b { initial = "open", open = { go = true, lock = "shut" }, shut = { go = { refuse = "shut" } } }
      """)
    #expect(try trial.play("go") == "go is postponed (#1)")
    try trial.play("lock")
    #expect(try trial.play("go") == "refused by machine b: shut")
    try trial.play("free")
    #expect(try trial.told() == ["go from the queue was refused by machine b: shut"])
  }

  @Test("a record's machine postpones for that record, and a removed record's actions are dropped")
  func records() throws {
    let trial = try Trial(
      """
      state { jobs = map {} }
      action.add { id = string }
      action.run { id = string }
      action.ready { id = string }
      action.drop { id = string }
      machine.job {
        each = "jobs", which = "id", without = { add = true }, initial = "new",
        new  = { postpone = "run", ready = "idle", drop = true },
        idle = { run = "running", drop = true },
        running = {},
        add = true,
      }
      function reduce.add(s, a) s.jobs[a.id] = {} end
      function reduce.drop(s, a) s.jobs[a.id] = nil end
      """)
    for id in ["a", "b"] {
      try trial.play("add", ["id": .string(id)])
      try trial.play("run", ["id": .string(id)])
    }
    #expect(
      try trial.host.pendingWork.map(\.postponedIn) == ["job[\"a\"].new", "job[\"b\"].new"])
    try trial.play("ready", ["id": "a"])
    #expect(try trial.state("jobs")["a"]?["job"] == "running")
    try trial.play("drop", ["id": "b"])
    #expect(
      try trial.told() == ["run from the queue was refused by machine job: there is no jobs[\"b\"]"]
    )
    #expect(try trial.host.pendingWork.isEmpty)
  }

  @Test("the postponed actions of a record move with it to another key")
  func renamed() throws {
    let trial = try Trial(
      """
      state { jobs = map {} }
      action.add { id = string }
      action.move { id = string, to = string }
      action.run { id = string, note = string }
      action.ready { id = string }
      machine.job {
        each = "jobs", which = "id", without = { add = true }, initial = "new",
        new  = { postpone = "run", ready = "idle", move = true },
        idle = { run = "running" },
        running = {},
        add = true,
      }
      function reduce.add(s, a) s.jobs[a.id] = { note = "" } end
      function reduce.move(s, a) s.jobs[a.to] = s.jobs[a.id] s.jobs[a.id] = nil end
      function reduce.run(s, a) s.jobs[a.id].note = a.note end
      """)
    try trial.play("add", ["id": "a"])
    try trial.play("run", ["id": "a", "note": "later"])
    try trial.play("move", ["id": "a", "to": "b"])
    #expect(try trial.host.pendingWork.map(\.postponedIn) == ["job[\"b\"].new"])
    try trial.play("ready", ["id": "b"])
    #expect(try trial.state("jobs")["b"] == ["note": "later", "job": "running"])
    #expect(trial.told() == [])
  }

  @Test("a reload to a text that no longer postpones an action dispatches it")
  func reloaded() throws {
    let written = try Written(Self.desk)
    try written.host.dispatch("start")
    try written.host.dispatch("pay", ["amount": 1])
    #expect(try written.reload(Self.desk + "\n", .keep) == nil)
    #expect(try written.host.pendingWork.map(\.postponedIn) == ["desk.busy"])
    let taking = Self.desk.replacing("postpone = { \"pay\" }", with: "pay = true")
    #expect(try written.reload(taking, .keep) == nil)
    try written.host.settle()
    #expect(try written.host.state()["paid"] == [1])
    #expect(try written.host.pendingWork.isEmpty)
  }

  @Test("gates are evaluated only when a postponed action is dispatched again")
  func gates() throws {
    let text =
      """
      state { open = false }
      action.go {}
      action.free {}
      machine.m { initial = "busy", busy = { postpone = "go", free = "idle" }, idle = { go = true } }
      function gate.go(s) return s.open, "closed" end
      """
    let engine = try Engine(
      LoadedFlow(source: text, name: "flow.lua"), limits: Limits(), log: ScriptLog { _ in })
    let explanation = engine.explain("go", [:])
    #expect(explanation.passes && explanation.decisions.map(\.by) == ["payload", "machine m"])
    let trial = try Trial(text)
    try trial.play("go")
    try trial.play("free")
    #expect(trial.told() == ["go from the queue was refused by gate go: closed"])
  }

  @Test("a postponed action keeps the name of who dispatched it")
  func by() throws {
    let trial = try Trial(
      """
      state { who = "" }
      action.go {}
      action.free {}
      machine.m { initial = "busy", busy = { postpone = "go", free = "idle" }, idle = { go = true } }
      function gate.go() return by() == "ann", "not ann" end
      function reduce.go(s) s.who = by() end
      """)
    _ = try trial.host.dispatch("go", [:], by: "ann")
    try trial.play("free")
    #expect(try trial.state("who") == "ann")
  }

  @Test(
    "a wrong postpone is an error",
    arguments: [
      ("a = { postpone = 1, go = \"b\" }, b = {}", "a.postpone must be the name of an action"),
      ("a = { postpone = {}, go = \"b\" }, b = {}", "a.postpone must be the name of an action"),
      (
        "a = { postpone = \"goo\", go = \"b\" }, b = {}", "there is no action goo; did you mean go?"
      ),
      ("a = { postpone = \"go\", go = \"b\" }, b = {}", "a lists go without a condition"),
      ("a = { go = \"b\" }, b = { final = true, postpone = \"go\" }", "b is final and never left"),
      ("postpone = \"go\", a = { go = \"b\" }, b = {}", "postpone belongs inside a state"),
    ])
  func faults(states: String, message: String) {
    #expect {
      _ = try Trial("state {}\naction.go {}\nmachine.m { initial = \"a\", \(states) }")
    } throws: { "\($0)".contains(message) }
  }
}
