import FlowExplore
import FlowKernel
import Testing

/// Unbounded state spaces.
@Suite("Growth")
struct GrowthTests {
  private func growing(_ flow: String, states: UInt64 = 400, jobs: Int = 1) throws -> [String] {
    var exploration = try Exploration(try LoadedFlow(source: flow))
    exploration.bounds.states = states
    exploration.jobs = jobs
    let report = try exploration.run()
    #expect(
      report.text("it").contains("not all explored: the bound of \(states) states was reached"))
    #expect(report.text("it").contains("  grows ") == !report.growing.isEmpty)
    return report.growing
  }

  @Test("fields that count up without end are named, and bounded fields are not")
  func counters() throws {
    let flow = """
      state { n = 0, light = "red", box = { m = 0 } }
      action.up {}
      action.down {}
      action.turn {}
      function reduce.up(s) s.n = s.n + 1 end
      function reduce.down(s) s.box.m = s.box.m - 1 end
      function reduce.turn(s) s.light = s.light == "red" and "green" or "red" end
      """
    for jobs in [1, 2] {
      #expect(try growing(flow, jobs: jobs) == ["box.m", "n"])
    }
  }

  @Test("an unbounded list is named by its length, and an unbounded map by its keys")
  func tables() throws {
    #expect(
      try growing(
        """
        state { queue = list_of(integer) }
        action.ask {}
        function reduce.ask(s) table.insert(s.queue, 1) end
        """, states: 100) == ["the length of queue"])
    #expect(
      try growing(
        """
        state { known = map_of { boolean, key = integer }, n = 0 }
        action.meet {}
        function reduce.meet(s) s.n = s.n + 1; s.known[s.n] = true end
        """, states: 100) == ["the keys of known", "n"])
  }

  @Test("a large but finite range of values is not reported as unbounded")
  func large() throws {
    var exploration = try Exploration(
      try LoadedFlow(
        source: """
          state { n = 0, m = 0 }
          action.up {}
          action.more {}
          function gate.up(s) return s.n < 10 end
          function gate.more(s) return s.m < 300 end
          function reduce.up(s) s.n = s.n + 1 end
          function reduce.more(s) s.m = s.m + 1 end
          """))
    let report = try exploration.run()
    #expect(report.ending == .whole)
    #expect(report.growing.isEmpty)
    // N has all its values by then.
    exploration.bounds.states = 2_000
    #expect(try exploration.run().growing == ["m"])
  }

  @Test("the report names the bound that ended the search")
  func bounds() throws {
    let flow = "state { n = 0 } action.up {} function reduce.up(s) s.n = s.n + 1 end"
    var exploration = try Exploration(try LoadedFlow(source: flow))
    exploration.bounds.depth = 5
    #expect(
      try exploration.run().text("it")
        == "it: 5 states, 5 transitions, depth 5, not all explored: the bound of depth 5 was reached\n"
    )
    exploration.bounds = ExplorationBounds()
    exploration.bounds.memory = 1 << 20
    #expect(
      try exploration.run().text("it").contains("the bound of 1 MB of memory was reached"))
  }
}
