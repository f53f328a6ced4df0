/// A writer of a flow as a Graphviz digraph.
package final class DOTWriter {
  private let drawing: FlowDrawing
  private var lines: [String] = []
  private var depth = 0

  /// Returns the text of the graph.
  package static func text(_ drawing: FlowDrawing) -> String {
    let writer = DOTWriter(drawing)
    writer.write()
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private init(_ drawing: FlowDrawing) { self.drawing = drawing }

  func line(_ text: String) {
    lines.append(String(repeating: "  ", count: depth) + text)
  }

  func block(_ head: String, _ body: () -> Void) {
    line(head + " {")
    depth += 1
    body()
    depth -= 1
    line("}")
  }

  private func write() {
    block("digraph flow") {
      let font = "fontname=\"Helvetica,Arial,sans-serif\""
      line(
        "graph [label=<<b>\(escaped(drawing.title))</b>>, labelloc=t, fontsize=18, \(font),")
      line("       rankdir=LR, nodesep=0.25, ranksep=0.7, compound=true, pad=0.3];")
      line("node  [\(font), fontsize=11, shape=box, style=\"rounded,filled\",")
      line("       color=\"#5b6b7b\", fillcolor=\"#ffffff\"];")
      line("edge  [\(font), fontsize=10, color=\"#5b6b7b\", arrowsize=0.7];")
      for (index, chart) in drawing.charts.enumerated() { write(chart, index) }
      writeScopes(below: nil)
      writeFields()
      writeDispatches()
      writeRows()
    }
  }

  // MARK: Actions

  private func writeScopes(below parent: String?) {
    for (index, scope) in drawing.scopes(below: parent) {
      if parent == nil {
        for action in scope.actions { write(action) }
        writeScopes(below: scope.name)
        continue
      }
      block("subgraph cluster_scope\(index)") {
        let key =
          scope.keyFields.isEmpty
          ? ""
          : "<br/><font point-size=\"10\">key: "
            + "\(escaped(scope.keyFields.map { "s.\($0)" }.joined(separator: ", ")))</font>"
        line(
          "label=<scope <b>\(escaped(scope.name))</b>\(key)>; fontsize=13; "
            + "style=\"rounded,dashed\"; color=\"#b08b3e\"; bgcolor=\"#fdf8ec\";")
        if scope.actions.isEmpty, drawing.scopes(below: scope.name).isEmpty {
          line("scope\(index) [label=\"no actions\", shape=plaintext, style=\"\"];")
        }
        for action in scope.actions { write(action) }
        writeScopes(below: scope.name)
      }
    }
  }

  private func write(_ action: FlowDrawing.ActionBox) {
    var rows = ["<tr><td align=\"left\"><b>\(escaped(action.name))</b></td></tr>"]
    if !action.payload.isEmpty {
      rows.append(small(action.payload.joined(separator: ", "), color: "#5b6b7b"))
    }
    for condition in action.conditions { rows.append(small(condition, color: "#8a3324")) }
    line(
      "\(id(action: action.name)) [label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
        + "cellpadding=\"1\">\(rows.joined())</table>>, fillcolor=\"#eef6ea\", color=\"#6b8f5a\"];")
  }

  private func small(_ text: String, color: String) -> String {
    "<tr><td align=\"left\"><font point-size=\"9\" color=\"\(color)\">\(escaped(text))</font></td></tr>"
  }

  private func writeFields() {
    guard !drawing.fields.isEmpty else { return }
    block("subgraph cluster_state") {
      line(
        "label=<<b>state</b>>; fontsize=13; style=rounded; color=\"#a9a9a9\"; "
          + "bgcolor=\"#f6f6f6\";")
      for (index, field) in drawing.fields.enumerated() {
        let style = field == nil ? ", style=\"rounded,dashed\"" : ""
        line("f\(index) [label=\(quoted(field ?? "s[...]")), fontsize=10\(style)];")
      }
    }
    for action in drawing.scopes.flatMap(\.actions) {
      for field in action.reduces {
        guard let index = drawing.fieldNumbers[field] else { continue }
        line("\(id(action: action.name)) -> f\(index) [color=\"#6b8f5a\"];")
      }
    }
  }

  private func writeDispatches() {
    for action in drawing.scopes.flatMap(\.actions) {
      for name in action.dispatches { dispatch(action.name, name, color: "#6d4c9f", label: nil) }
      for name in action.dispatchesOnError where !action.dispatches.contains(name) {
        dispatch(action.name, name, color: "#b03a2e", label: "on error")
      }
    }
  }

  private func dispatch(_ from: String, _ to: String, color: String, label: String?) {
    let text = label.map { ", label=\(quoted($0)), fontcolor=\"\(color)\"" } ?? ""
    line(
      "\(id(action: from)) -> \(id(action: to)) "
        + "[style=dashed, color=\"\(color)\"\(text)];")
  }

  /// Arranges actions without arrows in rows instead of one long column.
  private func writeRows() {
    let actions = drawing.scopes.flatMap(\.actions)
    let targets = Set(actions.flatMap { $0.dispatches + $0.dispatchesOnError })
    for scope in drawing.scopes {
      let alone = scope.actions.filter {
        $0.reduces.isEmpty && $0.dispatches.isEmpty && $0.dispatchesOnError.isEmpty
          && !targets.contains($0.name)
      }
      for (left, right) in zip(alone, alone.dropFirst()).enumerated()
        .filter({ ($0.offset + 1) % DOTWriter.rowLength != 0 }).map(\.element)
      {
        line("\(id(action: left.name)) -> \(id(action: right.name)) [style=invis];")
      }
    }
  }

  private static let rowLength = 4

  // MARK: Text

  private func id(action name: String) -> String {
    "a\(drawing.numbers[name] ?? 0)"
  }

  /// Returns lines as one label, one below the other.
  func quoted(_ lines: [String]) -> String { quoted(lines.joined(separator: "\n")) }

  func quoted(_ text: String) -> String { DOTWriter.quotedText(text) }

  /// Returns a text as a label, with its lines one below the other.
  package static func quotedText(_ text: String) -> String {
    var quoted = "\""
    for character in text.visible {
      switch character {
      case "\\": quoted += "\\\\"
      case "\"": quoted += "\\\""
      case "\n": quoted += "\\n"
      default: quoted.append(character)
      }
    }
    return quoted + "\""
  }

  func escaped(_ text: String) -> String {
    XMLText.content(text.visible).replacing("\n", with: "<br/>")
  }
}
