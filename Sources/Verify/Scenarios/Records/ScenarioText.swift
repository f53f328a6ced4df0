import FlowKernel
import LuaRuntime

/// The lines of a report about one scenario.
///
/// Long parts are shortened.
struct ScenarioText {
  let record: ScenarioRecord
  /// True if all steps are shown, and not only the last ones of a scenario that did not end well.
  var tellsEveryStep = false
  var seed: UInt64 = 0

  /// The number of mismatches that are shown.
  static let most = 20
  /// The number of steps that are shown of a scenario that did not end well.
  static let lastSteps = 5

  var lines: [String] {
    var lines = record.printed.map { "| \($0)" }
    guard let problem = record.problem else {
      return lines + (tellsEveryStep ? steps(told: "") : [])
    }
    lines += problem.summary.split(whereSeparator: \.isNewline).map(String.init)
    lines += (SourceExcerpt(problem.source).lines + problem.calls).map { "  \($0)" }
    lines += mismatches(problem.mismatches)
    lines += decisions(problem.decisions)
    lines += steps(told: problem.message)
    if !record.pendingWork.isEmpty {
      lines += ["pending:"] + record.pendingWork.map { "  \($0)" }
    }
    return lines + ["again: \(again)"]
  }

  /// The command that runs this scenario alone.
  private var again: String {
    "moonlatch run \(record.file):\(record.line)"
      + (record.tags.contains(ScenarioRecord.liveTag) ? " --live" : "")
      + (seed == 0 ? "" : " --seed \(seed)")
  }

  private func mismatches(_ mismatches: [Mismatch]) -> [String] {
    mismatches.prefix(ScenarioText.most).flatMap {
      [
        $0.path.isEmpty ? "- the value" : "- \($0.path)", "    expected: \($0.expected)",
        "    found:    \($0.found)",
      ]
    } + more(mismatches.count - ScenarioText.most, "differences")
  }

  /// Returns the decisions; a single refusal is shown with its step.
  private func decisions(_ decisions: [Decision]) -> [String] {
    guard decisions.count > 1 || decisions.first?.agreed == true else { return [] }
    return ["decisions:"]
      + decisions.map { "  \($0.by) \($0.agreed ? "agreed" : "refused")  [\($0.place)]" }
  }

  /// The lines of the steps alone.
  var course: [String] { record.steps.flatMap { lines(for: $0, told: "") } }

  private func steps(told message: String) -> [String] {
    let shown = tellsEveryStep ? record.steps[...] : record.steps.suffix(ScenarioText.lastSteps)
    guard !shown.isEmpty else { return [] }
    let title = tellsEveryStep ? "the dispatches:" : "the last dispatches:"
    let earlier = tellsEveryStep ? more(record.earlierSteps, "before these") : []
    return [title] + earlier.map { "  \($0)" }
      + shown.flatMap { lines(for: $0, told: message) }
  }

  private func lines(for step: StepRecord, told message: String) -> [String] {
    let call = "  \(step.action)\(step.payload.map { " \($0)" } ?? "")"
    // A time of zero is left out, because nobody needs it.
    let time =
      step.microseconds.flatMap { $0 == 0 ? nil : $0 }
      .map { " at \(DurationText.text(microseconds: $0))" } ?? ""
    let why = step.message ?? ""
    switch step.outcome {
    case .passed:
      let cause = step.cause.map { ", because of #\($0)" } ?? ""
      return [
        "\(call)  \(step.isPostponed ? "is postponed" : "passed") (#\(step.revision ?? 0))\(time)\(cause)"
      ] + changes(of: step)
    case .refused:
      return ["\(call)  \(why)\(time)\(step.place.map { "  [\($0)]" } ?? "")"]
    case .failed:
      let kind = "failed (\(step.by ?? ""))\(time)"
      let isTold = message.contains(why)
      let undone = changes(of: step).map { "  \($0)" }
      return [isTold ? "\(call)  \(kind)" : "\(call)  \(kind): \(why)"]
        + step.calls.map { "    \($0)" } + (undone.isEmpty ? [] : ["    rolled back:"] + undone)
    }
  }

  private func changes(of step: StepRecord) -> [String] {
    (step.changes.map(\.description) + more(step.moreChanges, "changes")).map { "    \($0)" }
  }

  private func more(_ count: Int, _ what: String) -> [String] {
    count > 0 ? ["... and \(count) more \(what)"] : []
  }
}
