import StateCharts

/// A writer of a random document as SCXML.
struct DocumentText {
  private let document: RandomDocument
  private let chart: Chart
  private let language: DocumentLanguage
  private var lines: [String] = []

  static func text(_ document: RandomDocument, _ language: DocumentLanguage) -> String {
    var writer = DocumentText(document, language)
    writer.write()
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private init(_ document: RandomDocument, _ language: DocumentLanguage) {
    (self.document, self.language) = (document, language)
    chart = document.drawing.chart(.scxml)
  }

  private mutating func write() {
    lines.append(
      "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" name=\"chart\""
        + " datamodel=\"\(language)\"\(initial(0))>")
    lines.append("  <datamodel>")
    for name in RandomDocument.variables { lines.append("    <data id=\"\(name)\" expr=\"0\"/>") }
    lines.append("  </datamodel>")
    for child in children(of: 0) { write(child, "  ") }
    lines.append("</scxml>")
  }

  private func children(of number: Int) -> [Int] {
    chart.states.indices.filter { chart.states[$0].parent == number }
  }

  private func names(_ targets: [Chart.StateNumber]) -> String {
    targets.map { chart.states[Int($0)].name }.joined(separator: " ")
  }

  private func initial(_ number: Int) -> String {
    chart.states[number].initial.map { " initial=\"\(names($0.targets))\"" } ?? ""
  }

  private mutating func write(_ number: Int, _ indent: String) {
    let state = chart.states[number]
    let own = document.blocks[state.name] ?? .init()
    var (element, attributes) = ("state", " id=\"\(state.name)\"")
    switch state.kind {
    case .parallel: element = "parallel"
    case .final: element = "final"
    case .history(let depth):
      element = "history"
      attributes += " type=\"\(depth == .deep ? "deep" : "shallow")\""
    case .atomic, .compound: if own.beginning.isEmpty { attributes += initial(number) }
    }
    lines.append("\(indent)<\(element)\(attributes)>")
    if let first = state.initial, !own.beginning.isEmpty {
      lines.append("\(indent)  <initial><transition target=\"\(names(first.targets))\">")
      write(own.beginning, indent + "    ")
      lines.append("\(indent)  </transition></initial>")
    }
    for (element, blocks) in [("onentry", own.entering), ("onexit", own.leaving)] {
      for block in blocks {
        lines.append("\(indent)  <\(element)>")
        write(block, indent + "    ")
        lines.append("\(indent)  </\(element)>")
      }
    }
    if let invocation = document.invocations[state.name] {
      write(invocation, state.name, indent + "  ")
    }
    for transition in state.transitions { write(transition, indent + "  ") }
    for child in children(of: number) { write(child, indent + "  ") }
    lines.append("\(indent)</\(element)>")
  }

  private mutating func write(
    _ invocation: RandomDocument.Invocation, _ state: String, _ indent: String
  ) {
    let waiting =
      "<state id=\"waits\"><transition event=\"\(RandomDocument.ending)\" target=\"ends\"/></state>"
    lines.append("\(indent)<invoke id=\"v\(state)\" autoforward=\"true\"><content>")
    lines.append(
      "\(indent)  <scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" name=\"of_\(state)\""
        + " datamodel=\"\(language)\">\(invocation == .endsAtOnce ? "" : waiting)<final id=\"ends\"/></scxml>"
    )
    lines.append("\(indent)</content></invoke>")
  }

  private mutating func write(_ transition: Chart.Transition, _ indent: String) {
    let own = transition.condition.flatMap { document.transitions[$0] } ?? .init()
    var attributes = ""
    if case .events(let names) = transition.trigger {
      attributes += " event=\"\(names.joined(separator: " "))\""
    }
    if let condition = own.condition {
      attributes += " cond=\"\(DocumentText.escaped(condition.text(language)))\""
    }
    if !transition.targets.isEmpty { attributes += " target=\"\(names(transition.targets))\"" }
    if transition.reach == .internal { attributes += " type=\"internal\"" }
    if own.content.isEmpty { return lines.append("\(indent)<transition\(attributes)/>") }
    lines.append("\(indent)<transition\(attributes)>")
    write(own.content, indent + "  ")
    lines.append("\(indent)</transition>")
  }

  private mutating func write(_ content: [Statement], _ indent: String) {
    lines += content.map { indent + $0.text(language) }
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
