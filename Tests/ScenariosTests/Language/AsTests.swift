import Testing

@testable import Scenarios

/// `as` in scenarios.
@Suite struct AsTests {
  private static let flow = """
    state { owner = "ann", approved = none }
    action.approve {}
    function gate.approve(s) return by() == s.owner, "only " .. s.owner end
    function reduce.approve(s) s.approved = by() end
    """

  @Test("as names who dispatches the actions of its function, and of nothing after it")
  func dispatches() throws {
    let played = try Played(
      """
      scenario("it", function()
        refuse.approve():because("only ann")
        assert(not may.approve())
        as("ann", function()
          assert(may.approve())
          as("bob", function() refuse.approve() end)
          pass.approve()
        end)
        expect { approved = "ann" }
        refuse.approve()
      end)
      """, flow: AsTests.flow)
    #expect(played.verdicts.first?.hasPrefix("ok") == true, "\(played.report)")
  }

  @Test("a wrong use of as is an error that shows its form")
  func misuse() throws {
    let played = try Played(
      "scenario(\"it\", function() as(\"ann\") end)\n", flow: AsTests.flow)
    #expect(played.report.contains("as needs a name and a function: as(\"ann\", function()"))
  }

  @Test("dispatches in after_each have no name, even after a failure within as")
  func after() throws {
    let played = try Played(
      """
      after_each(function() refuse.approve() end)
      scenario("it", function() as("ann", function() assert(false) end) end)
      """, flow: AsTests.flow)
    #expect(played.records.first?.problem?.message.contains("assert") == true)
  }
}
