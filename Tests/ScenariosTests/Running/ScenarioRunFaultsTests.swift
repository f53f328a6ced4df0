import Testing

@testable import Scenarios

/// Script errors of effects in a scenario.
@Suite struct ScenarioRunFaultsTests {
  private let flow = """
    state { tries = 0, error = "" }
    action.go {}
    action.failed { error = string }
    local function inner(t) return t.a.b end
    effect.go = { run = function(self) inner({}) end, on_error = "failed" }
    action.ask {}
    effect.ask = { run = function(self) self:fetch() end, on_error = "failed" }
    action.told {}
    effect.told = { run = function(self) inner({}) end, on_error = { action = "failed", faults = true } }
    action.stop {}
    function effect.stop() error("stopped") end
    function reduce.failed(s, a) s.tries = s.tries + 1 s.error = a.error end
    """

  private func verdict(_ body: String) throws -> String {
    let verdicts = try Played("scenario(\"a\", function()\n\(body)\nend)", flow: flow).verdicts
    return try #require(verdicts.first)
  }

  @Test(
    "an unexpected script error fails the scenario with its own place, whatever fails later",
    arguments: [
      "pass.go() settle()", "pass.go() settle() expect { tries = 7 }", "pass.told() settle()",
      "pass.told() settle() expect { tries = 1 }", "pass.go() expect.fault.told()",
    ])
  func unexpected(body: String) throws {
    let verdict = try verdict(body)
    #expect(verdict.contains("flow.lua:4: effect."))
    #expect(verdict.contains("did not finish: attempt to index a nil value (field 'a')"))
  }

  @Test(
    "an expected script error does not fail the scenario",
    arguments: [
      "pass.go() settle() expect.fault.go() expect { tries = 0 }",
      "pass.go() expect.fault.go(\"attempt to index\")",
      "pass.go() expect.fault[\"go\"](match(\"^attempt\"))",
      "pass.told() settle() expect { tries = 1 } expect.fault.told(\"field 'a'\")",
      "pass.go() pass.go() expect.fault.go() expect.fault.go()",
      "pass.stop() expect.fault.stop(\"stopped\")",
      "pass.ask() expect.fault.ask(\"scope root has no fetch\")",
      "stub(\"root.fetch\", function() error(\"offline\", 0) end) pass.ask() settle() expect { error = \"offline\" }",
    ])
  func expected(body: String) throws { #expect(try verdict(body) == "ok a") }

  @Test(
    "an expectation of a script error that does not occur fails",
    arguments: [
      ("expect.fault.go()", "effect go has not failed"),
      ("pass.go() expect.fault.go(\"offline\")", "effect go has not failed as expected"),
      ("expect.fault.goo()", "there is no effect goo; did you mean go?"),
      ("pass.ask()", "it has no stub"),
    ])
  func unmet(body: String, message: String) throws {
    #expect(try verdict(body).contains(message))
  }

  @Test("an error in a stub's own script is a script error too")
  func stub() throws {
    let verdict = try verdict(
      "stub(\"root.fetch\", function() helpr() end) pass.ask() settle()")
    #expect(verdict.contains("effect.ask did not finish: global helpr is not defined"))
  }
}
