import FlowTools
import LuaRuntime

/// The file format of an exploration's graph.
public enum ExploredGraphFormat: String, Sendable, CaseIterable {
  /// Graphviz.
  case dot
  /// A Mermaid flowchart.
  case mermaid = "mmd"
  /// A page in one file with the findings, which draws the picture itself.
  case html
  /// Aldebaran, the format of CADP, mCRL2 and others: all states and transitions.
  case aldebaran = "aut"
}

/// A graph as a picture: of machine configurations, or of all states if the flow has no machines.
struct GraphDrawing {
  struct Node: Hashable {
    let lines: [String]
    /// The number of the state; nil if the node is not a single state.
    let state: UInt32?
  }

  struct Arrow: Hashable {
    let from, to: Int
  }

  /// The maximum number of nodes in a picture; a larger one would be unreadable.
  static let mostNodes = 500
  /// The maximum length of a line in a node.
  static let longestLine = 80

  private(set) var nodes: [Node] = []
  private var numbers: [Node: Int] = [:]
  private(set) var beginnings: [Int] = []
  /// The arrows in the order in which they were found, each with its labels.
  private(set) var arrows: [(arrow: Arrow, labels: [String])] = []
  private var arrowNumbers: [Arrow: Int] = [:]

  init(_ graph: ExploredGraph) throws(ExplorationError) {
    for state in graph.beginnings {
      let node = try number(of: state, graph)
      if !beginnings.contains(node) { beginnings.append(node) }
    }
    for state in graph.states {
      let from = try number(of: state, graph)
      for edge in try graph.edges(from: state) {
        let to =
          if let target = edge.target { try number(of: target, graph) } else {
            try number(of: Node(lines: ["outside"], state: nil))
          }
        // A picture of configurations shows only moves that change the configuration.
        if graph.hasPlaces, from == to { continue }
        addArrow(Arrow(from: from, to: to), graph.hasPlaces ? edge.name : edge.label)
      }
    }
  }

  private mutating func addArrow(_ arrow: Arrow, _ label: String) {
    guard let known = arrowNumbers[arrow] else {
      arrowNumbers[arrow] = arrows.count
      return arrows.append((arrow, [label]))
    }
    if !arrows[known].labels.contains(label) { arrows[known].labels.append(label) }
  }

  private mutating func number(
    of state: UInt32, _ graph: ExploredGraph
  ) throws(ExplorationError) -> Int {
    graph.hasPlaces
      ? try number(of: Node(lines: graph.places(in: state), state: nil))
      : try number(of: Node(lines: graph.contents(of: state), state: state))
  }

  private mutating func number(of node: Node) throws(ExplorationError) -> Int {
    if let known = numbers[node] { return known }
    guard nodes.count < GraphDrawing.mostNodes else {
      throw ExplorationError(
        .setup,
        "the picture would have more than \(GraphDrawing.mostNodes) nodes; write all states as "
          + "FILE.aut, or explore fewer states")
    }
    numbers[node] = nodes.count
    nodes.append(node)
    return nodes.count - 1
  }

  func text(_ node: Node) -> String {
    node.lines.map { $0.cut(to: GraphDrawing.longestLine) }.joined(separator: "\n")
  }

  // MARK: Text

  var dot: String {
    let font = "fontname=\"Helvetica,Arial,sans-serif\""
    var lines = [
      "digraph flow {",
      "  graph [rankdir=LR, nodesep=0.25, ranksep=0.7, pad=0.3];",
      "  node  [\(font), fontsize=11, shape=box, style=\"rounded,filled\",",
      "         color=\"#5b6b7b\", fillcolor=\"#ffffff\"];",
      "  edge  [\(font), fontsize=10, color=\"#5b6b7b\", arrowsize=0.7];",
    ]
    for (number, node) in nodes.enumerated() {
      lines.append("  s\(number) [label=\(DOTWriter.quotedText(text(node)))];")
    }
    for node in beginnings {
      lines.append("  b\(node) [shape=circle, label=\"\", width=0.14, fillcolor=\"#22313f\"];")
      lines.append("  b\(node) -> s\(node);")
    }
    for (arrow, labels) in arrows {
      lines.append(
        "  s\(arrow.from) -> s\(arrow.to) "
          + "[label=\(DOTWriter.quotedText(labels.joined(separator: "\n")))];")
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// Returns the picture in the form that the page draws.
  func chart(title: String) -> Value {
    let first = beginnings.count == 1 ? beginnings.first : nil
    return [
      "name": .string(title), "notes": .list([]),
      "states": .list(
        nodes.enumerated().map { number, node in
          var fields: [String: Value] = [
            "name": .string(node.lines.joined(separator: ", ").cut(to: GraphDrawing.longestLine)),
            "path": .string("\(number)"), "notes": .list(node.lines.map { .string($0) }),
          ]
          if number == first { fields["initial"] = true }
          return .record(fields)
        }),
      "arrows": .list(
        arrows.map { arrow, labels in
          [
            "from": ["kind": "state", "state": .integer(arrow.from)],
            "to": ["kind": "state", "state": .integer(arrow.to)],
            "labels": .list(labels.map { .string($0) }), "actions": .list([]),
          ]
        }),
    ]
  }

  func mermaid(title: String) -> String {
    var lines = ["---", "title: \(MermaidWriter.quotedText(title))", "---", "flowchart LR"]
    for (number, node) in nodes.enumerated() {
      lines.append("  s\(number)([\(MermaidWriter.quotedText(text(node)))])")
    }
    for node in beginnings { lines.append("  b\(node)(( )):::initial --> s\(node)") }
    for (arrow, labels) in arrows {
      let label = MermaidWriter.quotedText(labels.joined(separator: "\n"))
      lines.append("  s\(arrow.from) -- \(label) --> s\(arrow.to)")
    }
    lines.append("  classDef initial fill:#22313f,stroke:#22313f")
    return (lines + [""]).joined(separator: "\n")
  }
}

extension String {
  fileprivate func cut(to length: Int) -> String {
    count > length ? "\(prefix(length - 1))…" : self
  }
}
