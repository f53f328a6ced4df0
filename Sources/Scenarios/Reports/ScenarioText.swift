import Moonlatch

/// The lines that tell why a scenario did not end well.
///
/// What could be long is cut short.
struct ScenarioText {
  let file: ScenarioFile
  let entry: ScenarioFile.Entry
  let printed: [String]

  /// How many mismatches, and how many changes of a transition, are shown.
  static let most = 20

  func lines(for failure: FailedExpectation) -> [String] {
    printed + ["\(failure.place): \(failure.message)"]
      + source(at: failure.place.file, failure.place.line, failure.traceback)
      + mismatches(failure.mismatches) + steps(failure.steps, told: failure.message) + again
  }

  func lines(for script: BrokenScript) -> [String] {
    let error = script.error
    let summary = error.summary.split(whereSeparator: \.isNewline).map(String.init)
    return printed + summary + source(at: error.chunk, error.line, error.traceback)
      + steps(script.steps, told: error.message) + again
  }

  private var again: [String] { ["again: moonlatch run \(file.name):\(entry.line)"] }

  private func source(at name: String?, _ line: Int?, _ traceback: [String]) -> [String] {
    guard let name, let line else { return [] }
    let excerpt = name == file.name ? SourceExcerpt(of: file, around: line).lines : []
    return (excerpt + CallLines(traceback, at: "\(name):\(line)").lines).map { "  " + $0 }
  }

  private func mismatches(_ mismatches: [Mismatch]) -> [String] {
    mismatches.prefix(ScenarioText.most).flatMap {
      [
        $0.path.isEmpty ? "- the value" : "- \($0.path)", "    expected: \($0.expected)",
        "    found:    \($0.found)",
      ]
    } + more(than: mismatches.count, "differences")
  }

  private func steps(_ steps: [Step], told message: String) -> [String] {
    guard !steps.isEmpty else { return [] }
    return ["the last dispatches:"] + steps.flatMap { lines(for: $0, told: message) }
  }

  private func lines(for step: Step, told message: String) -> [String] {
    let call = "  \(step.action) \(step.payload.text(limit: 200))"
    switch step.outcome {
    case .passed(let transition):
      return ["\(call)  passed (#\(transition.revision))"] + changes(transition.patch)
    case .refused(let refusal):
      return ["\(call)  \(refusal.isPlaced ? "\(refusal)" : "\(refusal)  [\(refusal.place)]")"]
    case .failed(let failure):
      let kind = "failed (\(failure.kind.rawValue))"
      let told = message.contains(failure.summary)
      return [told ? "\(call)  \(kind)" : "\(call)  \(kind): \(failure.summary)"]
        + CallLines(failure.script?.traceback ?? [], at: failure.script?.place ?? "").lines
        .map { "    \($0)" }
        + (failure.patch.map { ["    taken back:"] + changes($0).map { "  " + $0 } } ?? [])
    }
  }

  private func changes(_ patch: Patch) -> [String] {
    let changes = patch.changes
    return changes.prefix(ScenarioText.most).map { "    \($0)" }
      + more(than: changes.count, "changes").map { "    \($0)" }
  }

  private func more(than count: Int, _ what: String) -> [String] {
    count > ScenarioText.most ? ["... and \(count - ScenarioText.most) more \(what)"] : []
  }
}

extension Refusal {
  /// Whether the sentence names the place itself.
  fileprivate var isPlaced: Bool { reason == nil }
}
