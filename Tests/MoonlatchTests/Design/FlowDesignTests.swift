import Testing

/// Rules of ContractOfHosts.md, section 2, as sentences with a test each.
@Suite("A flow") struct FlowDesignTests {
  @Test(
    """
    The pattern throughout is `kind.name`, so that a declaration reads as a sentence, the function \
    has a real name in tracebacks (a function called from C gets one when the declaration tables \
    stand in the registry's loaded table), and an editor can complete it.
    """)
  func pattern() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.coin {} action.push {}
      function reduce.coin(s) s.n = s.n + nil end
      function gate.push(s) error("no") end
      function view.takings(s) error("no") end
      """)
    #expect(try trial.host.dispatch("coin").description.contains("reduce.coin"))
    #expect(try trial.host.dispatch("push").description.contains("gate.push"))
    #expect { try trial.host.view("takings") } throws: { "\($0)".contains("view.takings") }
  }

  @Test(
    """
    Where a name is not a Lua name, write `action["T02 Check"] {}`, \
    `gate["T02 Check"] = function(s, a) ... end`, `pass["end"]()`.
    """)
  func names() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action["T02 Check"] {} action["end"] {}
      gate["T02 Check"] = function(s, a) return s.n == 1, "not yet" end
      reduce["end"] = function(s) s.n = 1 end
      """)
    #expect(try trial.play("T02 Check") == "refused by gate T02 Check: not yet")
    #expect(try trial.play("end") == "end passed (#1)")
    #expect(try trial.play("T02 Check") == "T02 Check passed (#2)")
  }

  @Test(
    """
    Reading `reduce.NAME` or `gate.NAME` gives the function, so that `reduce.idle = reduce.cancel` \
    works.
    """)
  func reading() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.cancel {} action.idle {}
      function reduce.cancel(s) s.n = s.n + 1 end
      reduce.idle = reduce.cancel
      function gate.cancel(s) return s.n < 1, "once is enough" end
      gate.idle = gate.cancel
      """)
    #expect(try trial.play("idle") == "idle passed (#1)")
    #expect(try trial.state("n") == 1)
    #expect(try trial.play("idle") == "refused by gate idle: once is enough")
  }

  @Test(
    """
    Every declaration records its file and line; declaring the same thing twice is an error that \
    names both places.
    """)
  func places() {
    let found = faults(
      of: """
        state { n = 0 } action.a {} action.a {}
        function reduce.a() end
        function reduce.a() end
        function gate.a() return true end
        gate("all", "*", function() return true end)
        gate("all", "*", function() return true end)
        function view.v() end
        function view.v() end
        function invariant.i() return true end
        function invariant.i() return true end
        gatekeeper.k { a = "attempt" }
        gatekeeper.k { a = "attempt" }
        machine.m { initial = "x", x = { a = "x" } }
        machine.m { initial = "x", x = { a = "x" } }
        scope.s { key = function() end }
        scope.s { key = function() end }
        effect("e", "*", function() end)
        effect("e", "*", function() end)
        """)
    #expect(
      found == [
        "flow.lua:1: action.a is declared twice: here and at flow.lua:1",
        "flow.lua:3: reduce.a is declared twice: here and at flow.lua:2",
        "flow.lua:6: gate.all is declared twice: here and at flow.lua:5",
        "flow.lua:8: view.v is declared twice: here and at flow.lua:7",
        "flow.lua:10: invariant.i is declared twice: here and at flow.lua:9",
        "flow.lua:12: gatekeeper.k is declared twice: here and at flow.lua:11",
        "flow.lua:14: machine.m is declared twice: here and at flow.lua:13",
        "flow.lua:16: scope.s is declared twice: here and at flow.lua:15",
        "flow.lua:18: effect.e is declared twice: here and at flow.lua:17",
      ])
  }

  @Test("Loading reports every error of a flow at once.")
  func everyFault() {
    let found = faults(
      of: """
        state { f = print }
        action.a { n = 5 }
        reduce.b = function() end
        machine.m { x = {} }
        """)
    #expect(found.count == 4)
    #expect(found.map { $0.prefix(11) } == (1...4).map { "flow.lua:\($0):" })
  }
}
