import FlowKernel
import Testing

/// Rules of ContractOfHosts.md, section 5, as sentences with a test each.
@Suite("reduce") struct ReduceDesignTests {
  @Test(
    """
    `function reduce.NAME(s, a)` changes `s` in place and returns nothing (`return s` is allowed, \
    any other value is an error that shows how to write it).
    """)
  func inPlace() throws {
    let trial = try Trial(going("s.n = s.n + 1"))
    #expect(try trial.play("go") == "go passed (#1)")
    #expect(try trial.state("n") == 2)
    #expect(try Trial(going("s.n = 5 return s")).play("go") == "go passed (#1)")
    let wrong = try Trial(going("s.n = 5 return { n = 5 }"))
    #expect(try wrong.play("go").contains("s.FIELD = value") || wrong.play("go").contains("s."))
    #expect(try wrong.state("n") == 1)
  }

  @Test("A reducer is pure: its only inputs are `s`, `a`, `now()` and `random()`.")
  func pure() throws {
    let trial = try Trial(
      """
      state { at = 0.0, roll = 0, by = 0 }
      action.go { by = integer }
      function reduce.go(s, a) s.at = now() s.roll = random(6) s.by = a.by end
      """)
    try trial.advance(2.5)
    try trial.play("go", ["by": 3])
    #expect(try trial.state("at") == 2.5)
    #expect(try trial.state("by") == 3)
    let again = try Trial(
      """
      state { n = 0 } action.go {}
      count = 0
      function reduce.go(s) count = count + 1 s.n = view.n() end
      function view.n(s) return 1 end
      """)
    #expect(try again.play("go").contains("count"))
    #expect(
      try Trial(going("s.n = view.n()", more: "function view.n(s) return 1 end")).play("go")
        .hasPrefix("flow.lua:"))
  }

  @Test(
    """
    Dispatching, waiting or using a scope in a reducer, gate rule, view or invariant is an error.
    """,
    arguments: [
      "dispatch.go()", "dispatch('go')", "after(1, 'go')", "sleep(1)", "cancel('go')",
      "held:ping()", "held:unlock('user', 1)", "local x = held.ping", "held:defer(print)",
    ], ["reducer", "rule", "view", "invariant"])
  func impure(call: String, place: String) throws {
    let trial = try Trial(
      """
      state { n = 0 }
      local held
      action.hold {} action.go {} action.look {}
      scope.user { key = function() end, make = { thing = function(self) return {} end } }
      function effect.hold(self) held = self end
      local function impure() \(call) end
      function reduce.go(s) s.n = s.n + 1 \(place == "reducer" ? "impure()" : "") end
      function gate.go(s) \(place == "rule" ? "impure()" : "") return true end
      function view.v(s) \(place == "view" ? "impure()" : "") return s.n end
      function invariant.i(s) \(place == "invariant" ? "if s.n > 0 then impure() end" : "")
        return s.n >= 0
      end
      """
    ) { $0.root.provide("ping") { () in 1 } }
    try trial.play("hold")
    if place == "view" {
      #expect(throws: ViewError.self) { try trial.host.view("v") }
    } else {
      guard case .failed(let failure) = try trial.host.dispatch("go") else {
        Issue.record("\(call) passed in a \(place)")
        return
      }
      #expect(failure.kind == .script)
      #expect(failure.script?.line == 6)
    }
    #expect(try trial.state("n") == 0)
  }

  @Test("An error in a reducer rolls everything back.")
  func rollback() throws {
    let trial = try Trial(
      """
      state { n = 1, rows = { 1, 2, 3 }, roll = 0.5 } action.go { fails = boolean }
      gatekeeper.k { go = "attempt" }
      machine.m { initial = "a", a = { go = "b" }, b = { go = "a" } }
      function reduce.go(s, a)
        s.n = 2 table.remove(s.rows, 1) s.rows[3] = 9 s.roll = random()
        if a.fails then error("no") end
      end
      """)
    let other = try Trial(
      "state { roll = 0.5 } action.go {} function reduce.go(s) s.roll = random() end")
    let before = try trial.host.state()
    #expect(try trial.play("go", ["fails": true]) == "flow.lua:6: no")
    #expect(try trial.host.state() == before)
    #expect(try trial.host.may("go", ["fails": false]).isGranted)
    try trial.play("go", ["fails": false])
    try other.play("go")
    #expect(try trial.state("roll") == other.state("roll"))
  }

  @Test(
    """
    A plain table put into the state stays that table until the transition ends and is copied then, \
    so that one kept in an upvalue never reaches the state later.
    """)
  func copied() throws {
    let trial = try Trial(
      """
      state { row = none } action.put {} action.change {}
      local kept
      function reduce.put(s) kept = { n = 1 } s.row = kept kept.n = 2 assert(s.row.n == 2) end
      function reduce.change(s) kept.n = 3 end
      """)
    try trial.play("put")
    #expect(try trial.state("row") == ["n": 2])
    #expect(try trial.play("change") == "change passed (#2)")
    #expect(try trial.state("row") == ["n": 2])
  }

  @Test("An action has at most one reducer.")
  func one() {
    #expect(
      faults(of: "state {} action.a {}\nfunction reduce.a() end\nfunction reduce.a() end") == [
        "flow.lua:3: reduce.a is declared twice: here and at flow.lua:2"
      ])
  }
}
