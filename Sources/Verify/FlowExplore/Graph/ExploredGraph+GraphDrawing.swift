import FlowTools
import LuaRuntime

extension ExploredGraph {
  /// The maximum number of transitions in a file; nobody would read a larger one.
  static let mostTransitions = 5_000_000

  /// Returns the text of a file in one of the formats.
  func text(_ format: ExploredGraphFormat, title: String) throws(ExplorationError) -> String {
    switch format {
    case .dot: try GraphDrawing(self).dot
    case .mermaid: try GraphDrawing(self).mermaid(title: title)
    case .html: JSONText.visible(try GraphDrawing(self).chart(title: title))
    case .aldebaran: try aldebaran()
    }
  }

  /// Returns the graph in the Aldebaran format, with all states from 0 on.
  ///
  /// All states that are not expanded are one further state; several initial states get a common predecessor.
  func aldebaran() throws(ExplorationError) -> String {
    var count = states.count
    var outside: Int?
    var body = ""
    var transitions = 0
    func add(_ from: Int, _ label: String, _ to: Int) {
      body += "(\(from),\"\(label.visible.replacing("\"", with: "'"))\",\(to))\n"
      transitions += 1
    }
    for state in states {
      for edge in try edges(from: state) {
        var to = edge.target.map { Int($0) } ?? outside
        if to == nil {
          (to, outside) = (count, count)
          count += 1
        }
        add(Int(state), edge.label, to ?? count)
        guard transitions < ExploredGraph.mostTransitions else {
          throw ExplorationError(
            .setup,
            "the graph has more than \(Value.grouped(ExploredGraph.mostTransitions)) transitions; "
              + "explore fewer states")
        }
      }
    }
    let beginnings = beginnings
    var first = beginnings.first.map { Int($0) } ?? 0
    if beginnings.count > 1 {
      first = count
      count += 1
      for state in beginnings { add(first, "begin", Int(state)) }
    }
    return "des (\(first),\(transitions),\(count))\n" + body
  }
}
