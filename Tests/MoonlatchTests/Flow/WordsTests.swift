import FlowHosting
import FlowKernel
import FlowLanguage
import Testing

/// Keywords of the language in wrong forms.
@Suite struct WordsTests {
  private func faults(_ source: String) throws -> String {
    do {
      _ = try FlowHost(source: source)
      return ""
    } catch let error as FlowError {
      return error.description
    }
  }

  @Test("assigning to a declaration keyword is an error")
  func assigned() throws {
    #expect(
      try faults("action.a {}\nstate = { n = 0 }")
        == "flow.lua:2: state is a word of the flow language and cannot be set: write state { ... }"
    )
    #expect(
      try faults("machine = {}")
        == "flow.lua:1: machine is a word of the flow language and cannot be set: write machine.NAME"
    )
  }

  @Test("a keyword that takes a function cannot be called")
  func called() throws {
    for (word, declared) in [
      ("reduce", "a reducer is declared as function reduce.NAME(s, a) ... end"),
      ("view", "a view is declared as function view.NAME(s) ... end"),
      ("invariant", "an invariant is declared as function invariant.NAME(s) ... end"),
    ] {
      #expect(try faults("\(word) { a = function() end }") == "flow.lua:1: \(declared)")
    }
  }

  @Test(
    "a flow behaves the same when checked and when run, and errors name the rule that ran",
    arguments: [
      "type(gatekeeper.g)", "type(machine.m)", "type(action.a)", "type(view.v)", "type(reduce.r)",
      "type(scope.s)", "type(effect.e)", "type(state)", "type(integer)", "type(integer {})",
      "type(one_of)", "type(one_of { 'a' })", "type(string)", "type(string { max_length = 3 })",
      "integer == number", "integer {} == integer {}", "list_of(integer) == list_of(integer)",
      "gatekeeper.g == gatekeeper.g", "gatekeeper.g == gatekeeper.h", "action.a == action.a",
      "integer.x", "integer {}.x", "gatekeeper.g.holder == nil", "getmetatable(action)",
      "getmetatable(integer {}) == nil", "next(integer {})", "next(state)", "#optional(integer)",
      "select(2, pcall(function() return state.x end))",
      "select(2, pcall(function() integer.x = 1 end))",
      "select(2, pcall(function() integer {}.x = 1 end))",
      "select(2, pcall(function() gatekeeper.g.x = 1 end))",
      "select(2, pcall(function() return gatekeeper.g:may_pass() end))",
      "select(2, pcall(function() return machine.m.x end))",
      "select(2, pcall(function() return view.v() end))",
      "select(2, pcall(function() return dispatch.a {} end))",
      "select(2, pcall(function() return may.a {} end))",
    ])
  func sameEverywhere(fact: String) throws {
    let trial = try Trial(
      """
      action.go {}
      state { n = 0 }
      function view.v(s) return s.n end
      local fact = tostring(\(fact))
      gate(fact, "*", function() return false, fact end)
      """)
    guard case .refused(let refusal) = try trial.host.dispatch("go"),
      case .gate(let checked) = refusal.rejectedBy
    else {
      Issue.record("the gate has not refused")
      return
    }
    #expect(refusal.reason == checked)
  }

  @Test("reading the state through its declaration is an error that says where it is")
  func state() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {}
      function reduce.go(s) s.n = state.n + 1 end
      """)
    #expect(
      try trial.play("go")
        == "flow.lua:3: state declares the state; a function gets it as a parameter: s.n")
  }

  @Test("after loading, functions can be read, declarations are rejected, and names are suggested")
  func afterLoading() throws {
    for (line, answer) in [
      ("assert(reduce.go == reduce.alias and reduce.go ~= nil)", "go passed (#1)"),
      ("assert(gate.go == gate.powered == false)", "go passed (#1)"),
      ("assert(reduce.none == nil and integer.x == nil)", "go passed (#1)"),
      ("assert(gatekeeper.busy == gatekeeper.busy)", "go passed (#1)"),
      (
        "machine.door { initial = 'a', a = {} }",
        "machine.door is allowed only while the flow loads"
      ),
      (
        "scope['a b'] { key = print }", "scope[\"a b\"] is allowed only while the flow loads"
      ),
      ("effect.go = print", "this table is read-only: \"go\" cannot be set"),
      ("effect('x', '*', print)", "effect is allowed only while the flow loads"),
      (
        "gatekeeper.busy { go = 'reset' }", "gatekeeper is allowed only while the flow loads"
      ),
      ("gatekeeper.busy.x = 1", "a gatekeeper cannot be changed"),
      ("gatekeeper.busi:may_pass()", "there is no gatekeeper busi; did you mean busy?"),
      (
        "gatekeeper.busy:may_pass()",
        "a reducer cannot use a gatekeeper: it has only s, a, now() and random()"
      ),
      ("view.doubled()", "a reducer cannot read a view: it has only s, a, now() and random()"),
      ("view.dubled()", "there is no view dubled; did you mean doubled?"),
      ("dispatch.go()", "a reducer cannot dispatch; only an effect can"),
      ("may('go')", "a reducer cannot call may; effects, scenarios and the host can"),
      ("require 'other'", "module \"other\" is allowed only while the flow loads"),
      ("list(1)", "list takes a table: list {}"),
      ("random(0.5)", "random takes integers"),
      ("random(2, 1)", "random: the interval is empty"),
    ] {
      let trial = try Trial(
        """
        state { n = 0 }
        action.go {}
        action.alias {}
        gatekeeper.busy { go = "attempt" }
        function gate.go(s) return true end
        gate("powered", { "go" }, function(s) return true end)
        function reduce.go(s) s.n = s.n + 1 \(line) end
        reduce.alias = reduce.go
        function view.doubled(s) return 2 * s.n end
        """)
      let said = try trial.play("go")
      #expect(said.hasSuffix(answer), "\(line)")
    }
  }

  @Test("a flow may replace library functions without breaking undo or patterns")
  func ownGlobals() throws {
    let host = try FlowHost(
      source: """
        local function broken() error("the flow's own") end
        pairs, ipairs, type, tostring, error, setmetatable = broken, broken, broken, broken, broken, broken
        string, table, math = broken, broken, broken
        state { n = 0, rows = list {} }
        action.go { text = any }
        function reduce.go(s, a) s.n = s.n + 1 s.rows[1] = a.text end
        """, options: HostOptions(clock: .virtual))
    try host.dispatch("go", ["text": "a"])
    try host.undo()
    #expect(try host.state()["n"] == 0)
    #expect(try host.state()["rows"] == [])
  }

  @Test("calling a gatekeeper's method with a dot is an error that suggests a colon")
  func gatekeeperDots() throws {
    let trial = try Trial(
      """
      state {} action.load {} action.loaded {}
      gatekeeper.busy { load = "attempt", loaded = "reset" }
      gatekeeper.phase { load = { attempt = "loading" }, loaded = { reset = "loading" } }
      function effect.load()
        print(pcall(function() return gatekeeper.busy.may_pass() end))
        print(pcall(function() return gatekeeper.phase.holder("loading") end))
        print(gatekeeper.busy:may_pass(), gatekeeper.phase:may_pass("loading"))
      end
      """)
    try trial.play("load")
    #expect(
      trial.printed.all == [
        "false\tflow.lua:5: may_pass is called with a colon: gatekeeper.busy:may_pass(...)",
        "false\tflow.lua:6: holder is called with a colon: gatekeeper.phase:holder(...)",
        "false\tfalse",
      ])
  }
}
