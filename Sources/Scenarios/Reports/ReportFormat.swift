/// A report that is made from the events of a run.
package protocol EventReport {
  /// What the event adds to the report's text.
  mutating func text(for event: RunEvent) -> String
}

/// The reports that there are.
package enum ReportFormat: String, CaseIterable, Sendable {
  case text, jsonl, junit, tap, html, github

  /// A new report of this format.
  package var report: any EventReport {
    switch self {
    case .text: LineReport()
    case .jsonl: StreamReport()
    case .junit: JUnitReport()
    case .tap: TAPReport()
    case .html: HTMLReport()
    case .github: GitHubReport()
    }
  }
}

/// The stream itself.
struct StreamReport: EventReport {
  func text(for event: RunEvent) -> String { EventStream.line(event) }
}

/// What a run prints.
struct LineReport: EventReport {
  private let report = TextReport()

  func text(for event: RunEvent) -> String {
    if case .nothing = event { return "" }
    return report.text(for: event).map { $0 + "\n" } ?? ""
  }
}
