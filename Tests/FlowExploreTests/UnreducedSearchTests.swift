import Testing

@testable import FlowExplore

/// Explorations with symmetry reduction, checked by a second search without it.
@Suite("Searches without symmetry reduction")
struct UnreducedSearchTests {
  /// Counters of three values, and an invariant that one state out of 9,261 breaks, of which no other in its class does.
  private static let counters = """
    state { n = { 0, 0, 0 } }
    action.up { p = integer { min = 1, max = 3 } }
    function gate.up(s, a) return s.n[a.p] < 20 end
    function reduce.up(s, a) s.n[a.p] = s.n[a.p] + 1 end
    invariant.deep = function(s) return not (s.n[1] == 13 and s.n[2] == 11 and s.n[3] == 17) end
    """

  private func exploration(_ flow: String, _ options: String) throws -> Exploration {
    let ends = "ends = function() return true end"
    let explored = try Explored(flow, "explore(\"it\", { \(options), \(ends) })")
    return try #require(try explored.explorations().first)
  }

  private static let alike = "alike = { p = { 1, 2, 3, at = { \"n[p]\" } } }"

  @Test("an invariant that breaks the symmetry in a single deep state is detected")
  func deepState() throws {
    let exploration = try exploration(UnreducedSearchTests.counters, UnreducedSearchTests.alike)
    let error = #expect(throws: ExplorationError.self) { try exploration.run() }
    #expect(
      error?.description.contains("invariant.deep fails without alike, and holds with it") == true)
  }

  @Test("an exploration with too many states for an unreduced search is bounded")
  func tooMany() throws {
    let flow = UnreducedSearchTests.counters.replacing("s.n[1] == 13", with: "s.n[1] > 20")
    var exploration = try exploration(flow, UnreducedSearchTests.alike)
    exploration.mostUnreduced = 9_260
    let report = try exploration.run()
    #expect(report.ending == .bounded)
    #expect(
      report.text("it").contains(
        "not all explored: alike (a.explore.lua:2) was checked by samples only"))
    exploration.mostUnreduced = 9_261
    #expect(try exploration.run().ending == .whole)
  }

  @Test("asymmetric initial states are not reported as asymmetry of the flow")
  func beginnings() throws {
    let flow = UnreducedSearchTests.counters.replacing("s.n[1] == 13", with: "s.n[1] > 20")
      .replacing("< 20", with: "< 5")
    for given in ["{ n = { 4, 0, 0 } }", "{ n = { 0, 0, 0 } }, { n = { 5, 5, 2 } }"] {
      let report = try exploration(flow, "\(UnreducedSearchTests.alike), given = { \(given) }")
        .run()
      #expect(report.ending == .whole)
    }
  }
}
