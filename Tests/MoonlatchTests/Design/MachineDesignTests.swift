import Testing

private let door = """
  state { openings = 0, pin = 7 }
  action.open {} action.close {} action.lock {} action.unlock { pin = integer }
  machine.door {
    initial = "closed",
    closed = { open = "opened", lock = "locked" },
    opened = { close = "closed", after = { close = 30 },
      on_enter = function(s) s.openings = s.openings + 1 end },
    locked = { unlock = { to = "closed", when = function(s, a) return a.pin == s.pin, "wrong pin" end } },
  }
  """

/// Rules of ContractOfCharts.md, sections 3 to 8, as sentences with a test each.
@Suite("machine") struct MachineDesignTests {
  @Test(
    """
    The current state is `s.door`, readable everywhere and writable by nobody but the machine (a \
    state field of the same name is a fault).
    """)
  func field() throws {
    let trial = try Trial(
      door + "\n" + """
        action.force {} action.ask {} action.ruled {}
        function reduce.force(s) s.door = "opened" end
        function gate.ruled(s) return s.door == "opened", s.door end
        function view.door(s) return s.door end
        function invariant.known(s) return #s.door > 0 end
        function effect.ask() print(view.door()) end
        """)
    #expect(try trial.host.view("door") == "closed")
    #expect(try trial.play("ruled") == "refused by gate ruled: closed")
    #expect(try trial.play("force").contains("machine"))
    #expect(try trial.state("door") == "closed")
    try trial.play("open")
    try trial.play("ask")
    #expect(trial.printed.all == ["opened"])
    #expect(
      faults(of: "state { door = 1 } action.a {}\nmachine.door { initial = 'x', x = { a = 'x' } }")
        == [
          "flow.lua:2: machine door has the same name as the field state.door (flow.lua:1); its state is stored in s.door"
        ])
  }

  @Test(
    """
    An action that a machine names passes only where the current state lists it: \
    `refused by machine door: lock is not possible in opened (possible in: closed)`.
    """)
  func possible() throws {
    let trial = try Trial(door)
    try trial.play("open")
    #expect(
      try trial.play("lock")
        == "refused by machine door: lock is not possible in opened (possible in: closed)")
  }

  @Test(
    """
    A transition is a state's name, a table with `to` (and `when`), or a list of such tables, \
    `{ { to = "approved", when = f }, { to = "pending" } }`, tried in order; if none agrees the \
    refusal gives the last reason.
    """)
  func targets() throws {
    let trial = try Trial(
      """
      state {} action.file { amount = integer } action.back {} action.end_it { n = integer }
      local function small(s, a) return a.amount < 10, "too large" end
      machine.claim {
        initial = "new",
        new = { file = { { to = "approved", when = small }, { to = "pending" } },
          end_it = { { to = "over", when = function(s, a) return a.n == 1, "not 1" end },
            { to = "approved", when = function(s, a) return a.n == 2, "not 2" end } } },
        approved = { back = "new" }, pending = { back = { to = "new" } }, over = { final = true },
      }
      """)
    try trial.play("file", ["amount": 5])
    #expect(try trial.state("claim") == "approved")
    try trial.play("back")
    try trial.play("file", ["amount": 50])
    #expect(try trial.state("claim") == "pending")
    try trial.play("back")
    #expect(try trial.play("end_it", ["n": 3]) == "refused by machine claim: not 2")
    try trial.play("end_it", ["n": 1])
    #expect(try trial.state("claim") == "over")
    let locked = try Trial(door)
    try locked.play("lock")
    #expect(try locked.play("unlock", ["pin": 1]) == "refused by machine door: wrong pin")
    #expect(try locked.play("unlock", ["pin": 7]) == "unlock passed (#2)")
  }

  @Test("`when` is evaluated once, in step 3, on the state before the action.")
  func whenOnce() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {}
      machine.m { initial = "a", a = { go = { to = "b", on = nil, when = function(s)
        print("when", s.n, s.m) return true end } }, b = { on_enter = function(s) s.n = 5 end } }
      function reduce.go(s) s.n = 1 end
      function gate.go(s) print("gate") return true end
      """)
    try trial.play("go")
    #expect(trial.printed.all == ["when\t0\ta", "gate"])
  }

  @Test("`[\"*\"] = { abort = \"closed\" }` stands for every state that does not list the action.")
  func everywhere() throws {
    let trial = try Trial(
      """
      state {} action.go {} action.abort {}
      machine.m { initial = "a", a = { go = "b" }, b = { go = "c", abort = "a" }, c = {}, closed = {},
        ["*"] = { abort = "closed" } }
      """)
    try trial.play("go")
    try trial.play("abort")
    #expect(try trial.state("m") == "a")
    try trial.play("abort")
    #expect(try trial.state("m") == "closed")
  }

  @Test(
    """
    A transition into the same state does not leave it (no `on_exit`, no `on_enter`, timers run on) \
    unless it says `reenter = true`.
    """)
  func reenter() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.stay {} action.again {} action.late {}
      machine.m { initial = "a", a = { stay = "a", again = { to = "a", reenter = true },
        late = "b", after = { late = 10 },
        on_exit = function() print("exit") end, on_enter = function() print("enter") end }, b = {} }
      """)
    try trial.advance(6)
    try trial.play("stay")
    #expect(trial.printed.take() == [])
    #expect(try trial.host.settle() == ["late is due at 10 s"])
    try trial.play("again")
    #expect(trial.printed.take() == ["exit", "enter"])
    #expect(try trial.host.settle() == ["late is due at 16 s"])
    try trial.advance(9)
    #expect(try trial.state("m") == "a")
    try trial.advance(1)
    #expect(try trial.state("m") == "b")
  }

  @Test(
    """
    `after = { NAME = seconds }` in a state (a number, or a function of `s` evaluated when the \
    transition ends) dispatches NAME that long after the state was entered, unless it was left \
    before.
    """)
  func timers() throws {
    let trial = try Trial(door)
    try trial.play("open")
    try trial.advance(20)
    try trial.play("close")
    try trial.advance(100)
    #expect(try trial.host.revision == 2)
    try trial.play("open")
    try trial.advance(30)
    #expect(try trial.state("door") == "closed")
    #expect(try trial.host.commits.last?.cause == 3)
    let worked = try Trial(
      """
      state { pause = 1 } action.go {} action.back {}
      machine.m { initial = "a", a = { go = "b" },
        b = { back = "a", after = { back = function(s) return s.pause end },
          on_enter = function(s) s.pause = s.pause * 2 end } }
      function reduce.go(s) s.pause = s.pause + 1 end
      """)
    try worked.play("go")
    #expect(try worked.host.settle() == ["back is due at 4 s"])
    let wrong = try Trial(
      """
      state {} action.go {}
      machine.m { initial = "a", a = { go = "b" }, b = { go = "a", after = { go = function() return -1 end } } }
      """)
    #expect(
      try wrong.play("go") == "flow.lua:2: machine m: after.go takes 0 or more seconds, not -1")
    #expect(try wrong.state("m") == "a")
  }

  @Test("A state with `final = true` has no outgoing transitions.")
  func final() throws {
    #expect(
      faults(
        of: """
          state {} action.a {}
          machine.m { initial = "x", x = { a = "y" }, y = { final = true, a = "x" } }
          """) == [
          "flow.lua:2: machine m: y is final and cannot have transitions that leave it; it lists a"
        ])
    let trial = try Trial(
      """
      state {} action.a {}
      machine.m { initial = "x", x = { a = "y" }, y = { final = true }, ["*"] = { a = "x" } }
      """)
    try trial.play("a")
    #expect(
      try trial.play("a") == "refused by machine m: a is not possible in y (possible in: x)")
  }

  @Test(
    """
    Several machines are independent regions; an action passes when *every* machine that names it \
    accepts it here (to take it unmoved, name the own state).
    """)
  func regions() throws {
    let trial = try Trial(
      """
      state {} action.go {} action.one {} action.two {}
      machine.a { initial = "x", x = { go = "y", one = "y" }, y = { go = "y", one = "x" } }
      machine.b { initial = "x", x = { go = "y" }, y = { two = "x" } }
      """)
    try trial.play("one")
    try trial.play("go")
    #expect(try trial.host.state() == ["a": "y", "b": "y"])
    try trial.play("one")
    #expect(
      try trial.play("go") == "refused by machine b: go is not possible in y (possible in: x)")
    #expect(try trial.host.state() == ["a": "x", "b": "y"])
  }

  @Test(
    """
    Order, each over all machines in the order of declaration: `on_exit`, the machines move, \
    `reduce.NAME`, `on_enter` (so it sees what the reducer stored).
    """)
  func order() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {}
      local function told(what) return function(s) print(what, s.z, s.b, s.n) end end
      machine.z { initial = "x", x = { go = "y", on_exit = told("z exit") }, y = { on_enter = told("z enter") } }
      machine.b { initial = "x", x = { go = "y", on_exit = told("b exit") }, y = { on_enter = told("b enter") } }
      function reduce.go(s) told("reduce")(s) s.n = 1 end
      """)
    try trial.play("go")
    #expect(
      trial.printed.all == [
        "z exit\tx\tx\t0", "b exit\tx\tx\t0", "reduce\ty\ty\t0", "z enter\ty\ty\t1",
        "b enter\ty\ty\t1",
      ])
  }

  @Test("`on_enter(s, a)` and `on_exit(s, a)` are reducers in every respect.")
  func reducers() throws {
    func flow(_ exit: String, _ enter: String) -> String {
      """
      state { n = 0, by = 0, roll = 0.0 } action.go { by = integer { default = 1 } }
      machine.m { initial = "a", a = { go = "b", on_exit = function(s, a) \(exit) end },
        b = { on_enter = function(s, a) \(enter) end } }
      """
    }
    let trial = try Trial(flow("s.by = a.by", "s.n = s.n + 1 s.roll = random()"))
    try trial.play("go", ["by": 5])
    #expect(try trial.state("by") == 5)
    #expect(try trial.state("n") == 1)
    for wrong in [
      "s.n = 1 error('no')", "s.n = 1 sleep(1)", "s.n = 1 return 5", "s.n = 1 s.m = 'a'",
    ] {
      for code in [flow(wrong, ""), flow("", wrong)] {
        let failing = try Trial(code)
        #expect(try failing.host.dispatch("go").isPassed == false)
        #expect(try failing.host.state() == ["n": 0, "by": 0, "roll": 0.0, "m": "a"])
      }
    }
  }

  @Test("The initial state's `on_enter` does not run, since `state { ... }` is the initial state.")
  func initial() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {} action.late {}
      machine.m { initial = "a", a = { go = { to = "a", reenter = true }, late = "a", after = { late = 5 },
        on_enter = function(s) s.n = s.n + 1 end } }
      """)
    #expect(try trial.state("n") == 0)
    #expect(try trial.host.settle() == ["late is due at 5 s"])
    try trial.play("go")
    #expect(try trial.state("n") == 1)
  }

  @Test(
    "A table in a state that is no transition is a substate, and `initial` names the first one.")
  func words() {
    #expect(
      faults(
        of: """
          state {} action.a {}
          machine.m { initial = "x", x = { a = "x", inner = { initial = "y" } } }
          """) == [
          "flow.lua:2: machine m: x has states inside and no initial state: initial = \"inner\"",
          "flow.lua:2: machine m: x.inner: initial names a state inside, and there is none",
        ])
  }
}
