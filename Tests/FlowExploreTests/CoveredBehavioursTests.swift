import FlowExplore
import Testing

/// Coverage of the reachable behaviours by scenarios.
@Suite("Covered behaviours")
struct CoveredBehavioursTests {
  private func covered(
    _ scenarios: String, of flow: String = Explored.counter, _ text: String = "explore(\"it\")"
  ) throws -> CoveredBehaviours {
    let explored = try Explored(flow, text)
    try explored.write(flow, to: "other.lua")
    try explored.write(scenarios, to: "a.scenario.lua")
    let folder = explored.file.deletingLastPathComponent()
    var exploration = try #require(try explored.explorations().first)
    var found: CoveredBehaviours?
    exploration.finished = {
      found = try CoveredBehaviours(
        of: $0, by: [folder.path], flow: folder.appending(path: "flow.lua").path)
    }
    _ = try exploration.run()
    return try #require(found)
  }

  @Test("covered behaviours are counted, and each missing one has its shortest path")
  func counted() throws {
    let covered = try covered(
      """
      flow "flow.lua"
      scenario("up", function() refuse.reset() pass.up { by = 1 } end)
      """)
    #expect(
      covered.text == """
          covered 2 of 5 behaviours that can be reached, by 1 scenario
          not     up writes n and seen
                   1  up { by = 2 }
          not     up is refused by gate up: that is too much
                   1  up { by = 2 }
                   2  up { by = 2 }
          not     reset writes n
                   1  up { by = 1 }
                   2  up { by = 2 }
                   3  reset

        """)
  }

  @Test("a scenario that fails, is skipped or belongs to another flow covers nothing")
  func others() throws {
    let covered = try covered(
      """
      flow "flow.lua"
      scenario("wrong", function() pass.up { by = 1 } expect { n = 7 } end)
      scenario("later", { skip = "not yet" }, function() refuse.reset() end)
      """)
    #expect(covered.covered == 0)
    #expect(covered.scenarios == 0)
    #expect(covered.problems.count == 1)
    #expect(covered.problems.first?.hasSuffix("a.scenario.lua:2: wrong: it does not pass") == true)
    let other = try self.covered(
      "flow \"other.lua\"\nscenario(\"up\", function() refuse.reset() end)")
    #expect(other.covered == 0)
    #expect(other.problems.isEmpty)
  }

  @Test("a scenario outside of the bounds of the exploration covers nothing")
  func beyond() throws {
    let covered = try covered(
      """
      flow "flow.lua"
      scenario("far away", function() given { n = 3 } pass.reset() end)
      """, of: Explored.counter, "explore(\"it\", { within = function(s) return s.n < 2 end })")
    #expect(covered.covered == 0)
    // Up writes n, or n and seen as it leaves; reset is refused.
    #expect(covered.total == 3)
  }

  @Test("an action of a timer and the same action dispatched by hand are two behaviours")
  func timers() throws {
    let flow = """
      action.open {}
      action.shut {}
      machine.door {
        initial = "shut", shut = { open = "opened" }, opened = { shut = "shut", after = { shut = 5 } },
      }
      """
    let byHand = try covered(
      "flow \"flow.lua\"\nscenario(\"it\", function() pass.open() pass.shut() end)", of: flow)
    #expect(byHand.missing.map(\.behaviour).contains("shut by itself: door from opened to shut"))
    let byTimer = try covered(
      "flow \"flow.lua\"\nscenario(\"it\", function() pass.open() advance(5) end)", of: flow)
    #expect(!byTimer.missing.map(\.behaviour).contains("shut by itself: door from opened to shut"))
    #expect(byTimer.missing.map(\.behaviour).contains("shut: door from opened to shut"))
  }
}
