import Moonlatch

/// What people read: a line a scenario, and for each that did not end well what happened, where
/// and why.
public struct TextReport: Sendable {
  /// Makes a report.
  public init() {}

  /// The lines for one event, without the last newline.
  public func text(for event: Runner.Event) -> String {
    switch event {
    case .unloadable(let file, let message):
      return "FAIL  \(file)\n" + indented(message)
    case .ended(let entry, let file, let result, let printed):
      let title = "\(file.name):\(entry.line)  \(entry.name)"
      let output = printed.map { "\n      | \($0)" }.joined()
      switch result {
      case .passed: return "ok    \(title)\(output)"
      case .skipped(let reason): return "skip  \(title) (\(reason))"
      case .unloadable(let message): return "FAIL  \(title)\(output)\n" + indented(message)
      case .broken(let message): return "ERROR \(title)\(output)\n" + indented(message)
      case .failed(let failure):
        return "FAIL  \(title)\(output)\n" + text(for: failure, in: file)
          + "\n      again: moonlatch run \(file.name):\(entry.line)"
      }
    }
  }

  /// The closing lines.
  public func text(for summary: Runner.Summary) -> String {
    var parts = ["\(summary.passed) passed", "\(summary.notWell) failed"]
    if summary.skipped > 0 { parts.append("\(summary.skipped) skipped") }
    return parts.joined(separator: ", ")
  }

  private func text(for failure: FailedExpectation, in file: ScenarioFile) -> String {
    var lines = ["\(failure.place): \(failure.message)"]
    if failure.place.file == file.name {
      let source = file.excerpt(around: failure.place.line)
      if !source.isEmpty { lines += source.map { "  " + $0 } }
    }
    for mismatch in failure.mismatches {
      lines.append(mismatch.path.isEmpty ? "- value" : "- \(mismatch.path)")
      lines.append("    expected: \(mismatch.expected)")
      lines.append("    found:    \(mismatch.found)")
    }
    if !failure.steps.isEmpty {
      lines.append("the last dispatches:")
      for step in failure.steps { lines += text(for: step) }
    }
    return indented(lines.joined(separator: "\n"))
  }

  private func text(for step: Step) -> [String] {
    let call = "  \(step.action) \(step.payload)"
    switch step.outcome {
    case .passed(let transition):
      return ["\(call)  passed (#\(transition.revision))"]
        + transition.patch.changes.map { "    \($0)" }
    case .refused(let refusal): return ["\(call)  \(refusal)  [\(refusal.place)]"]
    case .failed(let failure): return ["\(call)  failed: \(failure.summary)"]
    }
  }

  private func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "      \($0)" }
      .joined(separator: "\n")
  }
}

extension ScenarioFile {
  /// The line with its neighbours, numbered, the line itself marked.
  func excerpt(around line: Int) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return [] }
    let range = max(1, line - 1)...min(lines.count, line + 1)
    let width = String(range.upperBound).count
    return range.map { number in
      let padded = String(repeating: " ", count: width - String(number).count) + String(number)
      return "\(number == line ? ">" : " ") \(padded) | \(lines[number - 1])"
    }
  }
}
