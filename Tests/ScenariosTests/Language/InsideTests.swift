import Testing

@testable import Scenarios

/// `inside`, with which a scenario dispatches internal actions.
@Suite struct InsideTests {
  private static let flow = """
    state { receipt = none }
    action.pay {}
    internal.paid { receipt = string }
    machine.sale { initial = "open", open = { pay = "paying" }, paying = { paid = "sold" }, sold = {} }
    function reduce.paid(s, a) s.receipt = a.receipt end
    effect.pay = { run = function(self) sleep(1) dispatch.paid { receipt = "r" } end }
    """

  @Test(
    "an internal action passes only with inside",
    arguments: [
      "pass.pay() advance(1) expect { receipt = \"r\" }",
      "pass.pay() inside.paid { receipt = \"hand\" } expect { receipt = \"hand\" }",
      "pass.pay() inside[\"paid\"] { receipt = \"hand\" } expect { sale = \"sold\" }",
      "inside.pay() expect { sale = \"paying\" }",
      "pass.pay() refuse.paid { receipt = \"x\" }:by(\"internal\")",
      "refuse.paid { anything = 1 }:by(\"internal\"):because(\"only effects and timers can dispatch\")",
      "assert(dispatch.paid { receipt = \"x\" }.by == \"internal\")",
      "local may, why = may.paid { receipt = \"x\" } assert(not may and why:find(\"internal\"))",
    ])
  func holds(_ body: String) throws {
    #expect(try Played.verdict(of: body, flow: Self.flow) == "ok it")
  }

  @Test(
    "an internal action that does not pass is reported",
    arguments: [
      (
        "pass.paid { receipt = \"x\" }",
        "paid was to pass, but it was refused by internal: only effects and timers can dispatch paid"
      ),
      (
        "inside.paid { receipt = \"x\" }",
        "paid was to pass, but it was refused by machine sale: paid is not possible in open (possible in: paying)"
      ),
      (
        "pass.pay() inside.paid { receipt = 1 }",
        "paid was to pass, but it failed: action paid: receipt must be a string, got 1"
      ),
      (
        "inside.payd()",
        "payd was to pass, but it failed: there is no action payd; did you mean paid?"
      ),
    ])
  func differs(_ body: String, _ message: String) throws {
    #expect(
      try Played.verdict(of: body, flow: Self.flow) == "FAIL a.scenario.lua:3: \(message)")
  }
}
