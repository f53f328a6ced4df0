/// A writer of a flow as a Mermaid flowchart.
package struct MermaidWriter {
  private let drawing: FlowDrawing
  private var lines: [String] = []

  /// Returns the text of the chart.
  package static func text(_ drawing: FlowDrawing) -> String {
    var writer = MermaidWriter(drawing)
    writer.write()
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private init(_ drawing: FlowDrawing) { self.drawing = drawing }

  private mutating func write() {
    lines = ["---", "title: \(quoted(drawing.title))", "---", "flowchart LR"]
    for (index, chart) in drawing.charts.enumerated() { write(chart, index) }
    writeScopes(below: nil, indent: "  ")
    writeFields()
    writeDispatches()
    lines += [
      "  classDef action fill:#eef6ea,stroke:#6b8f5a,color:#22313f",
      "  classDef initial fill:#22313f,stroke:#22313f",
    ]
  }

  private mutating func write(_ chart: FlowDrawing.Chart, _ index: Int) {
    let names = ChartNames(chart, "m\(index)")
    let title = (["machine \(chart.name)"] + chart.notes).map(escaped).joined(separator: "<br/>")
    lines.append("  subgraph m\(index)[\"\(title)\"]")
    write(names, inside: nil, indent: "    ")
    for arrow in chart.arrows { write(arrow, names) }
    lines.append("  end")
  }

  private mutating func write(_ names: ChartNames, inside parent: Int?, indent: String) {
    let begins = names.begins(in: parent)
    var first: String?
    for number in names.inside(parent) {
      let state = names.chart.states[number]
      let id = names.name(of: .state(number))
      let name = "\"\(([state.name] + state.notes).map(escaped).joined(separator: "<br/>"))\""
      if state.hasStates {
        lines.append("\(indent)subgraph \(id)[\(name)]")
        write(names, inside: number, indent: indent + "  ")
        lines.append("\(indent)end")
        if state.isRegion { lines.append("\(indent)style \(id) stroke-dasharray: 5 5") }
      } else {
        lines.append("\(indent)\(id)\(state.isFinal ? "(((\(name))))" : "([\(name)])")")
      }
      if state.isInitial { first = id }
      guard begins, first == id else { continue }
      lines.append("\(indent)\(names.name(of: .initial(parent)))(( )):::initial --> \(id)")
    }
    if begins, first == nil {
      lines.append("\(indent)\(names.name(of: .initial(parent)))(( )):::initial")
    }
    for end in names.marks(in: parent) {
      lines.append("\(indent)\(names.name(of: end))\(MermaidWriter.shape(of: end))")
    }
  }

  private mutating func write(_ arrow: FlowDrawing.Chart.Arrow, _ names: ChartNames) {
    let label = arrow.labels.map(escaped).joined(separator: "<br/>")
    let text = label.isEmpty ? "" : "-- \"\(label)\" "
    lines.append(
      "    \(names.name(of: arrow.from)) \(text)\(arrow.isEventless ? "--o" : "-->") "
        + names.name(of: arrow.to))
  }

  private static func shape(of end: FlowDrawing.Chart.End) -> String {
    switch end {
    case .any: "[\"any state\"]"
    case .history(_, let depth): depth == .deep ? "((\"H*\"))" : "((\"H\"))"
    case .fork: "[\" \"]:::initial"
    case .state, .initial: ""
    }
  }

  private mutating func writeScopes(below parent: String?, indent: String) {
    for (index, scope) in drawing.scopes(below: parent) {
      let isRoot = parent == nil
      if !isRoot {
        let key =
          scope.keyFields.isEmpty
          ? "" : "<br/>key: " + scope.keyFields.map { escaped("s.\($0)") }.joined(separator: ", ")
        lines.append("\(indent)subgraph s\(index)[\"scope \(escaped(scope.name))\(key)\"]")
      }
      let inner = isRoot ? indent : indent + "  "
      for action in scope.actions {
        var rows = ["<b>\(escaped(action.name))</b>"]
        if !action.payload.isEmpty { rows.append(escaped(action.payload.joined(separator: ", "))) }
        rows += action.conditions.map { "<i>\(escaped($0))</i>" }
        lines.append(
          "\(inner)\(id(action: action.name))[\"\(rows.joined(separator: "<br/>"))\"]:::action")
      }
      writeScopes(below: scope.name, indent: inner)
      if !isRoot { lines.append("\(indent)end") }
    }
  }

  private mutating func writeFields() {
    guard !drawing.fields.isEmpty else { return }
    lines.append("  subgraph fields[\"state\"]")
    for (index, field) in drawing.fields.enumerated() {
      lines.append("    f\(index)[\(quoted(field ?? "s[...]"))]")
    }
    lines.append("  end")
    for action in drawing.scopes.flatMap(\.actions) {
      for field in action.reduces {
        guard let index = drawing.fieldNumbers[field] else { continue }
        lines.append("  \(id(action: action.name)) --> f\(index)")
      }
    }
  }

  private mutating func writeDispatches() {
    for action in drawing.scopes.flatMap(\.actions) {
      for name in action.dispatches {
        lines.append("  \(id(action: action.name)) -.-> \(id(action: name))")
      }
      for name in action.dispatchesOnError where !action.dispatches.contains(name) {
        lines.append("  \(id(action: action.name)) -. \"on error\" .-> \(id(action: name))")
      }
    }
  }

  private func id(action name: String) -> String {
    "a\(drawing.numbers[name] ?? 0)"
  }

  private func quoted(_ text: String) -> String { MermaidWriter.quotedText(text) }

  private func escaped(_ text: String) -> String { MermaidWriter.escapedText(text) }

  /// Returns a text as a label, with its lines one below the other.
  package static func quotedText(_ text: String) -> String { "\"\(escapedText(text))\"" }

  /// Returns a text with Mermaid's special characters as HTML entities with a hash.
  private static func escapedText(_ text: String) -> String {
    var escaped = ""
    for character in text.visible {
      switch character {
      case "#": escaped += "#35;"
      case "\"": escaped += "#quot;"
      case "<": escaped += "#lt;"
      case ">": escaped += "#gt;"
      case "&": escaped += "#amp;"
      case "\n": escaped += "<br/>"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
