import FlowLanguage
import StateCharts

/// A writer of a flow's machines as an SCXML document: states, transitions and timers, and the conditions of documents.
///
/// When it is read again, the document moves between configurations as the machines do. Parts that only Lua can express
/// become a comment and a warning. Several machines become the regions of one parallel state.
package struct SCXMLWriter {
  private var lines: [String] = []
  private var isPlain = true

  /// Returns the text of the document, and warnings about the parts that it does not express.
  package static func export(_ text: FlowText) -> ExportedFlow {
    let export = FlowExport(text, as: .scxml)
    var writer = SCXMLWriter()
    writer.write(export)
    return ExportedFlow(
      text: writer.lines.joined(separator: "\n") + "\n", warnings: export.warnings,
      ids: export.charts.map(\.ids), events: export.names.eventOfAction)
  }

  private mutating func write(_ export: FlowExport) {
    var attributes: [(String, String)] = []
    if export.charts.count == 1, let chart = export.charts.first {
      attributes.append(("name", ExportNames.word(chart.machine.name)))
      let root = chart.root
      if root.kind == .parallel || !root.transitions.isEmpty {
        write(root, indent: "  ")
      } else {
        if !root.initial.isEmpty { attributes.append(("initial", SCXMLWriter.ids(root.initial))) }
        for sentence in root.notes { writeComment(sentence, "  ") }
        for child in root.children { write(child, indent: "  ") }
      }
    } else {
      attributes.append(("name", ExportNames.word(FlowFile.stem(of: export.flow.file))))
      lines.append("  <parallel id=\(SCXMLWriter.quoted(export.id))>")
      for chart in export.charts { write(chart.root, indent: "    ") }
      lines.append("  </parallel>")
    }
    let model = export.flow.document?.documents.first.map { "\($0.dataModel)" }
    let known = model.map { ["lua", "ecmascript"].contains($0) ? $0 : "null" }
    let all =
      [
        ("xmlns", "http://www.w3.org/2005/07/scxml"), ("version", "1.0"),
        ("datamodel", known ?? (isPlain ? "null" : "ecmascript")),
      ] + attributes
    let body = lines
    lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<!-- written by moonlatch graph -->"]
    lines.append(SCXMLWriter.tag("scxml", all, isEmpty: false))
    for warning in export.warnings where warning.machine == nil { writeComment("\(warning)", "  ") }
    lines += body + ["</scxml>"]
  }

  private mutating func write(_ state: ExportedState, indent: String) {
    var attributes = [("id", state.id)]
    let name: String
    switch state.kind {
    case .parallel: name = "parallel"
    case .final: name = "final"
    case .history(let depth):
      name = "history"
      attributes.append(("type", depth == .deep ? "deep" : "shallow"))
    case .atomic, .compound:
      name = "state"
      if !state.initial.isEmpty { attributes.append(("initial", SCXMLWriter.ids(state.initial))) }
    }
    let inside = indent + "  "
    let start = lines.count
    for sentence in state.notes { writeComment(sentence, inside) }
    write(state.timers, inside)
    if state.isHistory {
      lines.append(
        inside
          + SCXMLWriter.tag(
            "transition", [("target", SCXMLWriter.ids(state.initial))], isEmpty: true))
    }
    for transition in state.transitions { write(transition, of: state, inside) }
    for child in state.children { write(child, indent: inside) }
    if lines.count == start {
      lines.append(indent + SCXMLWriter.tag(name, attributes, isEmpty: true))
    } else {
      lines.insert(indent + SCXMLWriter.tag(name, attributes, isEmpty: false), at: start)
      lines.append("\(indent)</\(name)>")
    }
  }

  // MARK: Timers

  /// Writes the content that starts timers on entry and stops them on exit.
  private mutating func write(_ timers: [ExportedTimer], _ indent: String) {
    let sends = timers.compactMap(SCXMLWriter.send)
    guard !sends.isEmpty else { return }
    lines.append("\(indent)<onentry>")
    lines += sends.map { "\(indent)  \($0)" }
    lines += ["\(indent)</onentry>", "\(indent)<onexit>"]
    for timer in timers where SCXMLWriter.send(timer) != nil {
      lines.append("\(indent)  " + SCXMLWriter.tag("cancel", [("sendid", timer.id)], isEmpty: true))
    }
    lines.append("\(indent)</onexit>")
  }

  private static func send(_ timer: ExportedTimer) -> String? {
    guard case .seconds(let seconds) = timer.delay else { return nil }
    return tag(
      "send", [("event", timer.event), ("id", timer.id), ("delay", "\(seconds)s")], isEmpty: true)
  }

  // MARK: Transitions

  private mutating func write(
    _ transition: ExportedTransition, of state: ExportedState, _ indent: String
  ) {
    for sentence in transition.notes { writeComment(sentence, indent) }
    var attributes: [(String, String)] = []
    var condition = transition.condition
    switch transition.trigger {
    case .always: break
    case .events(let names): attributes.append(("event", names.joined(separator: " ")))
    case .exactEvent(let name):
      attributes.append(("event", name))
      condition = ExportedCondition.isEvent(name).and(condition)
    case .done: attributes.append(("event", "done.state.\(state.id)"))
    case .timer(let index): attributes.append(("event", state.timers[index].event))
    }
    if let text = condition.text { attributes.append(("cond", text)) }
    isPlain = isPlain && condition.isPlain
    if !transition.targets.isEmpty {
      attributes.append(("target", SCXMLWriter.ids(transition.targets)))
      if transition.isInternal { attributes.append(("type", "internal")) }
    }
    var content = transition.restarts.compactMap(SCXMLWriter.send)
    if let event = transition.raises {
      content.append(SCXMLWriter.tag("raise", [("event", event)], isEmpty: true))
    }
    lines.append(indent + SCXMLWriter.tag("transition", attributes, isEmpty: content.isEmpty))
    guard !content.isEmpty else { return }
    lines += content.map { "\(indent)  \($0)" } + ["\(indent)</transition>"]
  }

  // MARK: XML

  private mutating func writeComment(_ text: String, _ indent: String) {
    // Two dashes end a comment.
    lines.append(
      "\(indent)<!-- \(text.replacing("--", with: "- -").replacing("--", with: "- -")) -->")
  }

  private static func ids(_ states: [ExportedState]) -> String {
    states.map(\.id).joined(separator: " ")
  }

  private static func tag(
    _ name: String, _ attributes: [(String, String)], isEmpty: Bool
  ) -> String {
    "<" + ([name] + attributes.map { "\($0)=\(quoted($1))" }).joined(separator: " ")
      + (isEmpty ? "/>" : ">")
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing("\"", with: "&quot;").replacing("\n", with: "&#10;")
    return "\"\(escaped)\""
  }
}
