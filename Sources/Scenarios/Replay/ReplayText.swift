import Moonlatch

/// A replay's report as text.
package struct ReplayText {
  private let summary: ReplaySummary

  package init(_ summary: ReplaySummary) { self.summary = summary }

  package var text: String {
    (counts + groups(true) + groups(false)).joined(separator: "\n") + "\n"
  }

  private var counts: [String] {
    let s = summary
    return [
      "\(s.cases) cases, \(s.whole) of them fit whole",
      "\(s.rows) rows: \(s.passed) passed, \(s.refused) refused, \(s.failed) failed, "
        + "\(s.malformed) malformed",
    ]
  }

  /// The most frequent first, then in the order of the log.
  private func groups(_ isRefusal: Bool) -> [String] {
    let found = summary.groups.filter { $0.key.isRefusal == isRefusal }.sorted {
      ($1.value.events, $0.value.firstLine) < ($0.value.events, $1.value.firstLine)
    }
    guard !found.isEmpty else { return [] }
    let lines = found.map { group, count in
      "  \(count.events)  \(group.action)  "
        + (isRefusal ? "refused by \(group.by): " : "failed (\(group.by)): ") + group.reason
        + "  (first: case \(count.firstCase), line \(count.firstLine))"
    }
    let rest =
      !isRefusal && summary.ungrouped > 0
      ? ["  \(summary.ungrouped) more, for reasons not listed"] : []
    return ["", isRefusal ? "refused:" : "failed:"] + lines + rest
  }
}

/// Every deviation as CSV.
package enum DeviationsCSV {
  package static let header = "line,case,action,outcome,by,reason\r\n"

  package static func row(_ deviation: ReplayDeviation) -> String {
    let outcome = deviation.isRefusal ? "refused" : "failed"
    return [
      String(deviation.line), deviation.name, deviation.action, outcome, deviation.by,
      deviation.reason,
    ].map(cell).joined(separator: ",") + "\r\n"
  }

  private static func cell(_ text: String) -> String {
    guard text.utf8.contains(where: { [34, 44, 10, 13].contains($0) }) else { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
