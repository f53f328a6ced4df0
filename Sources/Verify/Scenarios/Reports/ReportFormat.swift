import LuaRuntime

/// A report that is made from the events of a run.
///
/// Its text is passed on unchanged, so each format has to ensure that no text of a script or a file begins a line or a
/// command of its own.
package protocol EventReport {
  /// Returns the text that the event adds to the report.
  mutating func text(for event: RunEvent) -> String
}

/// The formats of reports.
package enum ReportFormat: String, CaseIterable, Sendable {
  case text, jsonl, junit, tap, html, github

  /// A new report in this format.
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

  /// Returns true if the text begins like a report in this format.
  package func begins(_ text: String) -> Bool {
    switch self {
    case .text:
      text.hasPrefix("coverage of ")
        || text.prefixMatch(of: #/[0-9]+ passed, [0-9]+ failed/#) != nil
        || ["ok    ", "skip  ", "FAIL  ", "ERROR "].contains(where: text.hasPrefix)
    case .jsonl: text.hasPrefix("{") && text.prefix { $0 != "\n" }.contains("\"event\":\"run\"")
    case .junit: text.hasPrefix("<?xml") && text.contains("<testsuites name=\"moonlatch\">")
    case .tap: text.hasPrefix("TAP version 14\n")
    case .html: text.contains("<title>moonlatch run</title>")
    case .github: text.hasPrefix("::error file=")
    }
  }
}

/// The event stream itself, as a report.
struct StreamReport: EventReport {
  func text(for event: RunEvent) -> String { JSONText.visible(event.value) + "\n" }
}

/// The lines that a run prints, as a report.
struct LineReport: EventReport {
  private let report = TextReport()

  func text(for event: RunEvent) -> String {
    if case .nothing = event { return "" }
    return report.text(for: event).map { $0 + "\n" } ?? ""
  }
}
