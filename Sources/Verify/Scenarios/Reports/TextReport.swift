/// A report for people: a line for each scenario, and the place and reason of each failure.
package struct TextReport: Sendable {
  /// The amount of detail of the report.
  package enum Detail: Sendable {
    /// Only scenarios and files that did not end well.
    case quiet
    case normal
    /// Also every dispatch.
    case verbose
  }

  private let detail: Detail
  private let seed: UInt64

  /// Makes a report of a run with a seed.
  package init(_ detail: Detail = .normal, seed: UInt64 = 0) {
    self.detail = detail
    self.seed = seed
  }

  /// Returns the lines for one event, without the last newline; nil if the event is not reported.
  ///
  /// Control characters are made visible, because a terminal would obey them.
  package func text(for event: RunEvent) -> String? { told(of: event)?.visible }

  private func told(of event: RunEvent) -> String? {
    switch event {
    case .began: return nil
    case .nothing(let message): return message
    case .unloadable(let file, let message): return lines("FAIL  \(file.visibleLine)", [message])
    case .ended(let record):
      if record.isWell && detail == .quiet { return nil }
      let text = ScenarioText(
        record: record, tellsEveryStep: detail == .verbose, seed: seed)
      return lines(title(of: record), text.lines)
    case .covered(let coverage):
      return CoverageText(record: coverage).lines.joined(separator: "\n")
    case .finished(let end):
      return text(for: end.summary)
        + (end.hasRestarts ? ", with a restart after every turn" : "") + stopped(end)
    }
  }

  private func title(of record: ScenarioRecord) -> String {
    let word =
      switch record.status {
      case .passed: "ok   "
      case .skipped: "skip "
      case .failed: "FAIL "
      case .broken, .crashed, .timedOut: "ERROR"
      }
    let attempt = record.attempt > 1 ? " (run \(record.attempt))" : ""
    let reason = record.reason.map { " (\($0))" } ?? ""
    return "\(word) \(record.file):\(record.line)  \(record.name)\(attempt)\(reason)".visibleLine
  }

  /// Returns the last line of the report.
  package func text(for summary: RunSummary) -> String {
    var text = "\(summary.passed) passed, \(summary.notWell) failed"
    if summary.skipped > 0 { text += ", \(summary.skipped) skipped" }
    var kinds: [String] = []
    if summary.unloadable > 0 { kinds.append("\(summary.unloadable) could not be loaded") }
    if summary.broken > 0 { kinds.append("\(summary.broken) ended in a script error") }
    return kinds.isEmpty ? text : "\(text) (\(kinds.joined(separator: ", ")))"
  }

  private func stopped(_ end: RunEnd) -> String {
    guard let reason = end.stopped else { return "" }
    return "; \(reason.rawValue), so not everything was run"
  }

  private func lines(_ title: String, _ rest: [String]) -> String {
    let indented = rest.flatMap {
      $0.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }
    return ([title] + indented.map { $0.isEmpty ? "" : "      \($0)" }).joined(separator: "\n")
  }
}
