import Moonlatch

/// What people read: a line a scenario, and for each that did not end well what happened, where
/// and why.
public struct TextReport: Sendable {
  /// Makes a report.
  public init() {}

  /// The lines for one event, without the last newline.
  public func text(for event: Runner.Event) -> String {
    switch event {
    case .nothing(let message): return message
    case .unloadable(let file, let message): return lines("FAIL  \(file)", [message])
    case .ended(let entry, let file, let result, let printed):
      let title = "\(file.name):\(entry.line)  \(entry.name)"
      let told = ScenarioText(file: file, entry: entry, printed: printed.map { "| \($0)" })
      switch result {
      case .passed: return lines("ok    \(title)", told.printed)
      case .skipped(let reason): return lines("skip  \(title) (\(reason))", told.printed)
      case .unloadable(let message): return lines("FAIL  \(title)", told.printed + [message])
      case .failed(let failure): return lines("FAIL  \(title)", told.lines(for: failure))
      case .broken(let script): return lines("ERROR \(title)", told.lines(for: script))
      }
    }
  }

  /// The closing line.
  public func text(for summary: Runner.Summary) -> String {
    var text = "\(summary.passed) passed, \(summary.notWell) failed"
    if summary.skipped > 0 { text += ", \(summary.skipped) skipped" }
    var kinds: [String] = []
    if summary.unloadable > 0 { kinds.append("\(summary.unloadable) could not be loaded") }
    if summary.broken > 0 { kinds.append("\(summary.broken) ended in a script error") }
    return kinds.isEmpty ? text : "\(text) (\(kinds.joined(separator: ", ")))"
  }

  private func lines(_ title: String, _ rest: [String]) -> String {
    let indented = rest.flatMap {
      $0.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }
    return ([title] + indented.map { $0.isEmpty ? "" : "      \($0)" }).joined(separator: "\n")
  }
}
