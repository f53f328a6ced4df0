import SCXML
import StateCharts

/// The documents of a flow that is an SCXML document.
///
/// Its machines are its chart and those of the documents that it invokes.
package struct FlowDocument: Sendable {
  /// The document and those that it invokes; each is the machine of the same number.
  package let documents: [Document]
  /// The field of the state that holds each document's variables; nil if they are at the root of the state.
  package let fields: [String?]
  /// The invoking document of each document, and the number of the invocation in it; nil for the first document.
  package let invokers: [(document: Int, invoke: Int)?]
  /// The texts of conditions, by their numbers among functions.
  package let conditions: [Chart.Function: String]
  /// The reasons why the document cannot be run, though it was read.
  package let obstacles: [Diagnostic]
  /// Warnings about probable mistakes.
  package let warnings: [Diagnostic]
  /// The event names of each document's transitions, by the number of the transition.
  package let events: [[[EventName]]]
  /// The final states at the outermost level, by document.
  private let ends: [Set<Chart.StateNumber>]

  package init(_ file: DocumentFile, machines: [Machine]) {
    documents = file.documents
    var invokers: [(document: Int, invoke: Int)?] = file.documents.map { _ in nil }
    for (number, document) in file.documents.enumerated() {
      for (place, invoke) in document.invokes.enumerated() {
        for other in invoke.documents { invokers[other] = (number, place) }
      }
    }
    self.invokers = invokers
    fields = file.documents.indices.map { file.field(of: $0) }
    conditions = Dictionary(
      uniqueKeysWithValues: file.functions.enumerated().compactMap { number, function in
        function.condition.map { (Chart.Function(number), $0) }
      })
    let fault = { (fault: DocumentFault) in Diagnostic(fault) }
    (obstacles, warnings) = (file.obstacles.map(fault), file.warnings.map(fault))
    events = machines.map { machine in
      machine.compiled.rows.indices.map { number in
        if case .events(let names) = machine.compiled.transition(Int32(number)).trigger {
          names.map(EventName.init)
        } else {
          []
        }
      }
    }
    ends = machines.map { machine in
      Set(
        machine.chart.states.indices.filter {
          machine.chart.states[$0].kind == .final && machine.chart.states[$0].parent == 0
        }.map(Chart.StateNumber.init))
    }
  }

  /// Returns true if a session ends when that state of it is entered.
  package func isEnd(_ state: Int, of session: Int) -> Bool {
    ends[session].contains(Chart.StateNumber(state))
  }

  /// Returns true if any transition waits for an event of that name.
  package func knows(_ name: String) -> Bool {
    events.contains { $0.contains { $0.contains { $0.matches(name) } } }
  }
}

/// The name of the events that a transition waits for, or a prefix of it.
package struct EventName: Sendable {
  /// The name or prefix; nil for any event.
  package let words: String?

  init(_ text: String) {
    var text = Substring(text)
    if text == "*" {
      words = nil
      return
    }
    if text.hasSuffix(".*") { text = text.dropLast(2) }
    while text.hasSuffix(".") { text = text.dropLast() }
    words = text.isEmpty ? nil : String(text)
  }

  /// Returns true if an event's name is this name, or begins with it as whole words.
  package func matches(_ name: String) -> Bool {
    guard let words else { return true }
    if name == words { return true }
    guard name.utf8.count > words.utf8.count, name.hasPrefix(words) else { return false }
    return name.utf8[name.utf8.index(name.utf8.startIndex, offsetBy: words.utf8.count)] == 46
  }
}
