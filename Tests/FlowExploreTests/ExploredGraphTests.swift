import FlowExplore
import Foundation
import Testing

/// Graphs of explorations.
@Suite("The graph of an exploration")
struct ExploredGraphTests {
  private static let lamp = """
    state { turns = 0 }
    machine.lamp {
      initial = "off",
      off = { press = "on" },
      on = { press = "off" },
    }
    action.press {}
    action.turn { by = integer { min = 1, max = 2 } }
    function gate.turn(s, a) return s.turns + a.by <= 2 end
    function reduce.turn(s, a) s.turns = s.turns + a.by end
    """

  private func graph(
    _ format: ExploredGraphFormat, of flow: String, _ text: String = "explore(\"it\")",
    most: UInt64 = 0
  ) throws -> Result<String, ExplorationError> {
    let explored = try Explored(flow, text)
    var exploration = try #require(try explored.explorations().first)
    exploration.graph = format
    exploration.bounds.states = most
    return try #require(try exploration.run().graph)
  }

  @Test("the graph has all states and transitions, as many as published models")
  func published() throws {
    let file = ExamplesTests.folder.appending(path: "two-phase-commit.explore.lua")
    var exploration = try #require(try ExplorationFile(file).explorations().first)
    exploration.graph = .aldebaran
    let lines = try #require(try exploration.run().graph).get().split(separator: "\n")
    // The beginning is counted among the 1,146 transitions that a report tells.
    #expect(lines.first == "des (0,1145,288)")
    #expect(lines.count == 1146)
  }

  @Test("a transition is labelled with its action and payload")
  func labels() throws {
    #expect(
      try graph(.aldebaran, of: Explored.counter).get() == """
        des (0,11,7)
        (0,"up(by = 1)",1)
        (0,"up(by = 2)",2)
        (1,"up(by = 1)",2)
        (1,"up(by = 2)",3)
        (2,"up(by = 1)",4)
        (3,"reset",0)
        (4,"reset",5)
        (5,"up(by = 1)",6)
        (5,"up(by = 2)",2)
        (6,"up(by = 1)",2)
        (6,"up(by = 2)",4)

        """)
  }

  @Test("all states outside of the bounds are one state of the graph")
  func outside() throws {
    let text = "explore(\"it\", { within = function(s) return s.n < 2 end })"
    #expect(
      try graph(.aldebaran, of: Explored.counter, text).get() == """
        des (0,4,3)
        (0,"up(by = 1)",1)
        (0,"up(by = 2)",2)
        (1,"up(by = 1)",2)
        (1,"up(by = 2)",2)

        """)
  }

  @Test("several initial states get one common predecessor")
  func beginnings() throws {
    let text = """
      explore("it", { given = { {}, { n = 3 } }, actions = { up = false } })
      """
    #expect(
      try graph(.aldebaran, of: Explored.counter, text).get() == """
        des (2,3,3)
        (1,"reset",0)
        (2,"begin",0)
        (2,"begin",1)

        """)
  }

  @Test("the diagram of a flow with machines has a node for each configuration")
  func places() throws {
    let dot = try graph(.dot, of: ExploredGraphTests.lamp).get()
    #expect(dot.hasPrefix("digraph flow {\n"))
    #expect(
      dot.hasSuffix(
        """
          s0 [label="off"];
          s1 [label="on"];
          b0 [shape=circle, label="", width=0.14, fillcolor="#22313f"];
          b0 -> s0;
          s0 -> s1 [label="press"];
          s1 -> s0 [label="press"];
        }

        """))
  }

  @Test("the diagram of a flow without machines has a node for each state, with its fields")
  func states() throws {
    let flow = """
      state { n = 0, name = "a" }
      action.up {}
      function gate.up(s) return s.n < 1 end
      function reduce.up(s) s.n = s.n + 1 end
      """
    #expect(
      try graph(.mermaid, of: flow).get() == """
        ---
        title: "it"
        ---
        flowchart LR
          s0(["n = 0<br/>name = #quot;a#quot;"])
          s1(["n = 1<br/>name = #quot;a#quot;"])
          b0(( )):::initial --> s0
          s0 -- "up" --> s1
          classDef initial fill:#22313f,stroke:#22313f

        """)
  }

  @Test("a diagram of too many nodes or of an incomplete search is rejected")
  func bounds() throws {
    let flow = """
      state { n = 0 }
      action.up {}
      function gate.up(s) return s.n < 600 end
      function reduce.up(s) s.n = s.n + 1 end
      """
    func problem(_ graph: Result<String, ExplorationError>) -> String? {
      if case .failure(let error) = graph { error.description } else { nil }
    }
    #expect(
      problem(try graph(.dot, of: flow))
        == "the picture would have more than 500 nodes; write all states as FILE.aut, or explore fewer states"
    )
    #expect(try graph(.aldebaran, of: flow).get().hasPrefix("des (0,600,601)\n"))
    #expect(
      problem(try graph(.aldebaran, of: flow, most: 10))
        == "a graph needs all states, and not all were explored")
  }
}
