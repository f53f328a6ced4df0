import Moonlatch
import StateCharts

/// A flow's machines as an SCXML document: their structure, and the conditions of documents.
///
/// What only Lua can say stands in comments: conditions and content of a flow are functions. Several machines
/// become the regions of one parallel state.
package struct SCXMLWriter {
  private var lines: [String] = []
  private let flow: Flow

  /// The text of the document.
  package static func text(_ text: FlowText) -> String {
    var writer = SCXMLWriter(text.flow)
    writer.write(ExportedChart.all(of: text), FlowFile.stem(of: text.flow.file))
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private init(_ flow: Flow) { self.flow = flow }

  private mutating func write(_ all: [ExportedChart], _ name: String) {
    // Documents that are invoked stand in the state that does so, and have no place beside the first.
    let charts = flow.document == nil ? all : Array(all.prefix(1))
    lines.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    lines.append("<!-- written by moonlatch graph -->")
    let model = flow.document?.documents.first.map { "\($0.dataModel)" } ?? "null"
    var head = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\""
    head += " datamodel=\"\(["lua", "ecmascript"].contains(model) ? model : "null")\""
    if charts.count == 1, let chart = charts.first {
      head += " name=\(Self.quoted(chart.machine.name))"
      if chart.chart.states[0].kind == .parallel {
        lines.append(head + ">")
        write(0, of: chart, indent: "  ")
      } else {
        if let first = chart.beginning(of: 0) {
          head += " initial=\(Self.quoted(first.joined(separator: " ")))"
        }
        lines.append(head + ">")
        for transition in chart.chart.states[0].transitions {
          comment(transition, of: chart, indent: "  ")
        }
        for child in chart.children(of: 0) { write(child, of: chart, indent: "  ") }
      }
    } else {
      lines.append(head + " name=\(Self.quoted(name))>")
      lines.append("  <parallel id=\(Self.quoted("\(name).machines"))>")
      for chart in charts { write(0, of: chart, indent: "    ") }
      lines.append("  </parallel>")
    }
    lines.append("</scxml>")
  }

  /// A way of the machine as a whole stands in no state: a document has no place for it.
  private mutating func comment(
    _ transition: Chart.Transition, of chart: ExportedChart, indent: String
  ) {
    let words = chart.events(of: transition) + ["->"] + chart.targets(of: transition)
    note("in every state: \(words.joined(separator: " "))", indent)
  }

  private mutating func write(_ number: Int, of chart: ExportedChart, indent: String) {
    let state = chart.chart.states[number]
    let name: String
    var attributes = " id=\(Self.quoted(chart.ids[number]))"
    switch state.kind {
    case .parallel: name = "parallel"
    case .final: name = "final"
    case .history(let depth):
      name = "history"
      attributes += " type=\"\(depth == .deep ? "deep" : "shallow")\""
    case .atomic, .compound:
      name = "state"
      if let first = chart.beginning(of: number) {
        attributes += " initial=\(Self.quoted(first.joined(separator: " ")))"
      }
    }
    let inner = indent + "  "
    let start = lines.count
    let timers = state.timers.enumerated().map { index, timer in
      let event: String =
        if case .action(let action) = timer.due {
          ExportedChart.word(action)
        } else {
          chart.timer(index, of: number)
        }
      let delay: String =
        if case .seconds(let seconds) = timer.delay { "\(seconds)s" } else { "0s" }
      return
        "<send event=\(Self.quoted(event)) id=\(Self.quoted("\(chart.ids[number]).\(index + 1)")) delay=\(Self.quoted(delay))/>"
    }
    if !timers.isEmpty {
      lines.append("\(inner)<onentry>")
      lines += timers.map { "\(inner)  \($0)" }
      lines.append("\(inner)</onentry>")
      lines.append("\(inner)<onexit>")
      lines += state.timers.indices.map {
        "\(inner)  <cancel sendid=\(Self.quoted("\(chart.ids[number]).\($0 + 1)"))/>"
      }
      lines.append("\(inner)</onexit>")
    }
    for function in state.onEnter { note("on entry: \(chart.name(of: function))", inner) }
    for function in state.onExit { note("on exit: \(chart.name(of: function))", inner) }
    for depth in chart.histories(of: number) {
      let type = depth == .deep ? "deep" : "shallow"
      lines.append(
        "\(inner)<history id=\(Self.quoted(chart.historyID(of: number, depth))) type=\"\(type)\">")
      let first =
        chart.beginning(of: number) ?? chart.children(of: number).prefix(1).map { chart.ids[$0] }
      lines.append("\(inner)  <transition target=\(Self.quoted(first.joined(separator: " ")))/>")
      lines.append("\(inner)</history>")
    }
    for transition in state.transitions { write(transition, of: chart, inner) }
    for child in chart.children(of: number) { write(child, of: chart, indent: inner) }
    if lines.count == start {
      lines.append("\(indent)<\(name)\(attributes)/>")
    } else {
      lines.insert("\(indent)<\(name)\(attributes)>", at: start)
      lines.append("\(indent)</\(name)>")
    }
  }

  private mutating func write(
    _ transition: Chart.Transition, of chart: ExportedChart, _ indent: String
  ) {
    if transition.reach == .forbids {
      note(
        "refused: \(chart.events(of: transition).joined(separator: " "))"
          + (transition.refusal.map { ": \($0)" } ?? ""), indent)
      return
    }
    var text = "\(indent)<transition"
    let events = chart.events(of: transition)
    if !events.isEmpty { text += " event=\(Self.quoted(events.joined(separator: " ")))" }
    if let condition = transition.condition {
      if flow.document?.conditions[condition] != nil {
        text += " cond=\(Self.quoted(chart.name(of: condition)))"
      } else {
        note("when: \(chart.name(of: condition))", indent)
      }
    }
    let targets = chart.targets(of: transition)
    if !targets.isEmpty, transition.reach != .stays {
      text += " target=\(Self.quoted(targets.joined(separator: " ")))"
      let isInside = transition.targets.allSatisfy {
        $0 != transition.source && chart.chart.contains(transition.source, $0)
      }
      if transition.reach == .internal || (transition.reach == .inner && isInside) {
        text += " type=\"internal\""
      }
    }
    if let content = transition.content { note("does: \(chart.name(of: content))", indent) }
    lines.append(text + "/>")
  }

  private mutating func note(_ text: String, _ indent: String) {
    // Two dashes end a comment.
    lines.append("\(indent)<!-- \(text.replacing("--", with: "- -")) -->")
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing("\"", with: "&quot;").replacing("\n", with: "&#10;")
    return "\"\(escaped)\""
  }
}
