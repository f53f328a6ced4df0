/// The report of a replay as text.
package struct ReplayText {
  private let summary: ReplaySummary

  package init(_ summary: ReplaySummary) { self.summary = summary }

  package var text: String {
    (counts + groups(true) + groups(false) + rest + skipped).map(\.visibleLine).joined(
      separator: "\n") + "\n"
  }

  private var counts: [String] {
    let s = summary
    return [
      "\(s.cases) cases, \(s.whole) of them fit whole",
      "\(s.rows) rows: \(s.passed) passed, \(s.refused) refused, \(s.failed) failed, "
        + "\(s.malformed) malformed" + (s.skipped > 0 ? ", \(s.skipped) skipped by the map" : ""),
    ] + reading
  }

  /// A line about how the log was read, if that is not the usual way.
  private var reading: [String] {
    var parts: [String] = []
    switch summary.delimiter {
    case UInt8(ascii: ";"): parts.append("cells separated by semicolons")
    case UInt8(ascii: "\t"): parts.append("cells separated by tabs")
    case UInt8(ascii: "|"): parts.append("cells separated by bars")
    default: break
    }
    switch summary.timeFormat {
    case nil, .iso, .seconds: break
    case .milliseconds?, .microseconds?, .nanoseconds?, .days?:
      parts.append("times in \(summary.timeFormat?.rawValue ?? "")")
    case .compact: parts.append("times in compact ISO 8601")
    case let format?: parts.append("times as \(format.rawValue)")
    }
    return parts.isEmpty ? [] : ["read with \(parts.joined(separator: " and "))"]
  }

  /// Returns the groups, the most frequent first, then in the order of the log.
  private func groups(_ isRefusal: Bool) -> [String] {
    let found = summary.groups.filter { $0.key.isRefusal == isRefusal }.sorted {
      ($1.value.events, $0.value.firstLine) < ($0.value.events, $1.value.firstLine)
    }
    guard !found.isEmpty else { return [] }
    let lines = found.map { group, count in
      "  \(count.events)  \(group.action)  "
        + (isRefusal ? "refused by \(group.by): " : "failed (\(group.by)): ") + count.example
        + "  (\(count.isVaried ? "with other values too; " : "")"
        + "first: case \(count.firstCase), line \(count.firstLine))"
    }
    return ["", isRefusal ? "refused:" : "failed:"] + lines
  }

  /// The rows that the map left out, by its reasons.
  private var skipped: [String] {
    let groups = summary.skippedRows.groups.sorted { $0.rows > $1.rows }
    guard !groups.isEmpty else { return [] }
    let lines = groups.map { group in
      "  \(group.rows)  \(group.example)  "
        + "(\(group.isVaried ? "with other values too; " : "")first: line \(group.firstLine))"
    }
    let ungrouped = summary.skippedRows.ungrouped
    return ["", "skipped by the map:"] + lines
      + (ungrouped > 0 ? ["  \(ungrouped)  for reasons not listed"] : [])
  }

  /// A line about the events that no group counts.
  private var rest: [String] {
    guard summary.ungrouped > 0 else { return [] }
    return ["", "\(summary.ungrouped) more rejected events, for reasons not listed"]
  }
}
