import Testing

/// Eventless and completion transitions: `always` and `on_done`.
@Suite struct RoundsTests {
  @Test(
    "regions that read each other change in one macrostep, and timers start in their final states")
  func crossing() throws {
    let trial = try Trial(ExampleMachines.crossing)
    try trial.advance(31)
    #expect(try trial.state("cars") == "green.ripe")
    let commit = try #require(try trial.host.passing("push"))
    #expect(
      commit.writes.changes.map(\.description).sorted() == [
        #"cars: "green.ripe" -> "yellow""#, #"walkers: "stop" -> "waiting""#,
      ])
    try trial.advance(3)
    #expect(try trial.state("cars") == "red")
    #expect(try trial.state("walkers") == "walk")
    try trial.advance(20)
    #expect(try trial.state("cars") == "green.fresh")
    #expect(try trial.state("walkers") == "stop")
    try trial.play("push")
    #expect(try trial.state("cars") == "green.fresh")
    try trial.advance(30)
    #expect(try trial.state("cars") == "yellow")
  }

  static let approval = """
    state { notes = list {} }
    action.edit {} action.submit {} action.withdraw {}
    action.approve { role = string }
    action.reject { why = string }
    local function only(role) return function(s, a) return a.role == role, "this is for " .. role end end
    machine.document {
      initial = "draft",
      draft   = { edit = true, submit = "review" },
      review  = {
        parallel = { "legal", "finance" },
        withdraw = "draft",
        reject   = { to = "draft", reduce = function(s, a) table.insert(s.notes, a.why) end },
        on_done  = "published",
        legal    = { initial = "asked", asked = { approve = { to = "agreed", when = only "legal" } },   agreed = { final = true } },
        finance  = { initial = "asked", asked = { approve = { to = "agreed", when = only "finance" } }, agreed = { final = true } },
      },
      published = { final = true },
    }
    """

  @Test("a parallel state is done in the transition that ends its last region")
  func approval() throws {
    let trial = try Trial(Self.approval)
    try trial.play("submit")
    #expect(
      try trial.play("approve", ["role": "cook"])
        == "refused by machine document: this is for legal; this is for finance")
    try trial.play("approve", ["role": "legal"])
    #expect(try trial.state("legal") == "agreed")
    #expect(try trial.state("document") == "review")
    #expect(try trial.play("approve", ["role": "finance"]) == "approve passed (#3)")
    #expect(try trial.state("document") == "published")
    #expect(try trial.state("legal") == .nil)
    try trial.host.undo()
    #expect(try trial.state("document") == "review")
    #expect(try trial.state("finance") == "asked")
    try trial.play("reject", ["why": "no"])
    #expect(try trial.state("notes") == ["no"])
    try trial.play("submit")
    #expect(try trial.state("legal") == "asked")
  }

  @Test("a microstep exits, runs its reducers and enters, and sees the results of the action")
  func order() throws {
    let trial = try Trial(
      """
      state { log = list {} }
      action.go { n = integer }
      local function note(text) return function(s, a) table.insert(s.log, text .. " in " .. s.m .. " for " .. a.n) end end
      machine.m {
        initial = "a",
        a = { go = "b", on_exit = note "a out" },
        b = { on_enter = note "b in", on_exit = note "b out",
          always = { to = "c", when = function(s) return #s.log > 0 end, reduce = note "b to c" } },
        c = { on_enter = note "c in", always = { to = "d" } },
        d = { on_enter = note "d in", final = true },
      }
      function reduce.go(s) table.insert(s.log, "go") end
      """)
    #expect(try trial.play("go", ["n": 7]) == "go passed (#1)")
    #expect(
      try trial.state("log") == [
        "a out in a for 7", "go", "b in in b for 7", "b out in b for 7", "b to c in c for 7",
        "c in in c for 7", "d in in d for 7",
      ])
    #expect(try trial.host.revision == 1)
    try trial.host.undo()
    #expect(try trial.state("m") == "a")
    #expect(try trial.state("log") == [])
    try trial.host.redo()
    #expect(try trial.state("m") == "d")
  }

  /// A counter of how often a condition ran, told by `print`.
  static let counted = """
    state { x = 0, y = 0, z = 0 }
    action.x { to = integer } action.y { to = integer } action.z {} action.move {} action.fail {} action.back {}
    machine.m {
      initial = "a",
      a = { move = "b", always = { to = "b", when = function(s) print("x", s.x) return s.x > 10 end } },
      b = { back = "a", always = { to = "c", when = function(s) print("y", s.y) return s.y > 10 end } },
      c = { back = "a" },
    }
    function reduce.x(s, a) s.x = a.to end
    function reduce.y(s, a) s.y = a.to end
    function reduce.z(s) s.z = s.z + 1 end
    function reduce.fail(s) s.x = 99 error("no") end
    """

  @Test(
    "a guard runs only in its active state, and again only if something that it read has changed"
  )
  func askedAgain() throws {
    let trial = try Trial(Self.counted)
    #expect(trial.printed.take() == ["x\t0"])
    try trial.play("z")
    try trial.play("y", ["to": 1])
    #expect(trial.printed.take() == [])
    try trial.play("x", ["to": 5])
    #expect(trial.printed.take() == ["x\t5"])
    try trial.play("x", ["to": 11])
    #expect(trial.printed.take() == ["x\t11", "y\t1"])
    #expect(try trial.state("m") == "b")
    try trial.play("x", ["to": 12])
    #expect(trial.printed.take() == [])
    try trial.play("y", ["to": 12])
    #expect(trial.printed.take() == ["y\t12"])
    #expect(try trial.state("m") == "c")
    // It is remembered that y > 10, and what x is has changed since the condition ran.
    try trial.play("back")
    #expect(trial.printed.take() == ["x\t12"])
    #expect(try trial.state("m") == "c")
  }

  @Test("a failed transition leaves no cached result of a guard")
  func rollback() throws {
    let trial = try Trial(
      Self.counted + "\ninvariant.small = function(s) return s.x < 50 or s.z > 0 end")
    _ = trial.printed.take()
    #expect(try trial.play("x", ["to": 60]).contains("invariant.small does not hold"))
    #expect(try trial.state("m") == "a")
    _ = trial.printed.take()
    try trial.play("y", ["to": 5])
    #expect(trial.printed.take() == ["x\t0"])
    #expect(try trial.state("m") == "a")
    #expect(try trial.play("fail").contains("no"))
    try trial.play("z")
    #expect(try trial.state("m") == "a")
    try trial.play("x", ["to": 11])
    #expect(try trial.state("m") == "b")
  }

  @Test("after undo a guard has the result for the restored state")
  func goingBack() throws {
    let trial = try Trial(Self.counted)
    try trial.play("x", ["to": 11])
    #expect(try trial.state("m") == "b")
    try trial.host.undo()
    #expect(try trial.state("m") == "a")
    try trial.play("z")
    #expect(try trial.state("m") == "a")
    try trial.play("x", ["to": 3])
    #expect(try trial.state("m") == "a")
    try trial.host.undo()
    try trial.host.undo()
    #expect(try trial.state("m") == "a")
    try trial.play("x", ["to": 20])
    #expect(try trial.state("m") == "b")
    try trial.host.undo()
    try trial.host.redo()
    #expect(try trial.state("m") == "b")
    try trial.play("y", ["to": 20])
    #expect(try trial.state("m") == "c")
  }

  @Test("at the start, eventless transitions run before invariants are checked and timers are set")
  func start() throws {
    let trial = try Trial(
      """
      state { n = 1, log = list {} }
      action.late {} action.later {}
      machine.m {
        initial = "a",
        a = { always = { to = "b", when = function(s) return s.n == 1 end }, after = { late = 1 }, late = "d",
          on_enter = function(s) table.insert(s.log, "a") end },
        b = { on_enter = function(s, a) s.n = 2 table.insert(s.log, "b") assert(next(a) == nil) end,
          after = { later = 5 }, later = "c" },
        c = {}, d = {},
      }
      function invariant.two(s) return s.n == 2 end
      """)
    #expect(try trial.state("m") == "b")
    #expect(try trial.state("log") == ["b"])
    #expect(try trial.host.revision == 0)
    try trial.advance(2)
    #expect(try trial.state("m") == "b")
    try trial.advance(3)
    #expect(try trial.state("m") == "c")
  }

  @Test("an error in eventless transitions at the start is an error of the flow")
  func failingStart() {
    #expect(
      faults(
        of: """
          state { n = 1 }
          action.go {}
          machine.m {
            initial = "a",
            a = { go = "b", always = { to = "b", when = function(s)
              return s.n.m end } },
            b = {},
          }
          """
      ).first?.hasPrefix("flow.lua:6: attempt to index a number value") == true)
  }

  @Test("several machines change in one microstep, and each repeats while it is enabled")
  func several() throws {
    let trial = try Trial(
      """
      state { log = list {} }
      action.go {}
      local function note(name) return function(s) table.insert(s.log, name .. " " .. s.one .. s.two) end end
      machine.one { initial = "a", a = { go = "b" },
        b = { always = "c" }, c = { on_enter = note "c", always = { to = "d", when = function(s) return s.two == "z" end } }, d = {} }
      machine.two { initial = "x",
        x = { always = { to = "y", when = function(s) return s.one == "b" end } },
        y = { on_enter = note "y", always = "z" }, z = {} }
      """)
    try trial.play("go")
    #expect(try trial.state("one") == "d")
    #expect(try trial.state("two") == "z")
    #expect(try trial.state("log") == ["c cy", "y cy"])
  }
}
