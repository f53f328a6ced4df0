import Testing

@testable import Scenarios

/// Rules of ContractOfHosts.md, sections 3 and 12, as sentences with a test each.
@Suite("Rules of scenarios") struct PinnedDownDesignTests {
  private let flow = """
    state { n = 0 } action.go {} action.ask {} action.told { text = string }
    machine.m { initial = "a", a = { go = "b" }, b = { go = "a" } }
    gatekeeper.k { go = "attempt" }
    function reduce.go(s) s.n = s.n + 1 end
    function effect.ask(self) dispatch.told { text = self:fetch() } end
    function reduce.told(s, a) s.n = #a.text end
    function view.names(s) local t = {} for k in pairs(s) do t[#t + 1] = k end return t end
    """

  @Test(
    """
    Machine variables are part of `s` for `pairs`, `expect`, `expect.change`, `given`; gatekeepers \
    are not.
    """)
  func variables() throws {
    #expect(
      try Played.verdict(
        of: """
          expect.view.names { "m", "n" }
          given { m = "b" }
          expect { m = "b" }
          pass.go()
          expect.change { m = "a", n = 1 }
          expect.state { m = "a", n = 1 }
          """, flow: flow) == "ok it")
    #expect(try Played.verdict(of: "expect { k = 1 }", flow: flow).contains("no field k"))
    #expect(try Played.verdict(of: "given { k = 1 }", flow: flow).contains("no field k"))
  }

  @Test("Stubs: a later stub of a name wins; `pass` inside a stub or effect is an error.")
  func stubs() throws {
    #expect(
      try Played.verdict(
        of: """
          stub("root.fetch", function() return "a" end)
          stub("root.fetch", function() return "later" end)
          pass.ask()
          settle()
          expect { n = 5 }
          """, flow: flow) == "ok it")
    let verdict = try Played.verdict(
      of: """
        stub("root.fetch", function() pass.go() return "a" end)
        pass.ask()
        settle()
        """, flow: flow)
    #expect(!verdict.hasPrefix("ok"))
    #expect(verdict.contains("a.scenario.lua:3") || verdict.contains("pass"))
  }

  @Test("A scenario file runs once to list its scenarios.")
  func listed() throws {
    let played = try Played(
      """
      local n = 0
      for i = 1, 3 do
        n = n + 1
        scenario("number " .. n, function() n = n + 10 print(n) end)
      end
      """, flow: flow)
    #expect(played.verdicts == ["ok number 1", "ok number 2", "ok number 3"])
    #expect(played.printed == ["13", "13", "13"])
  }

  @Test("scenarios start at 0, and now() moves with advance")
  func clock() throws {
    #expect(
      try Played.verdict(
        of: "assert(now() == 0) advance(2.5) assert(now() == 2.5)", flow: flow) == "ok it")
  }

  @Test("a local that a function of the flow changes is reported with the result")
  func locals() throws {
    let played = try Played(
      "scenario(\"it\", function() pass.go() pass.go() end)",
      flow: "state {} action.go {}\nlocal n = 0\nfunction reduce.go() n = n + 1 end")
    #expect(played.verdicts == ["ok it"])
    #expect(
      played.printed == [
        "warning: flow.lua:3: reduce.go changes the local n; data belongs in the state"
      ])
  }
}
