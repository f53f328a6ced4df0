import FlowLanguage
import LuaRuntime

/// Making records from what happened in a VM.
extension ScenarioRecord {
  private static let mostUpcoming = 10

  init(
    _ entry: ScenarioFile.Entry, of file: ScenarioFile, end: ScenarioEnd, tellsEveryStep: Bool
  ) {
    self.init(file: file.name, line: entry.line, name: entry.name, status: .passed)
    tags = entry.tags
    printed = end.printed
    switch end.result {
    case .passed, .unloadable: break
    case .skipped(let why):
      status = .skipped
      reason = why
    case .failed(let failure):
      status = .failed
      problem = ProblemRecord(failure, in: file)
    case .broken(let script):
      status = .broken
      problem = ProblemRecord(script.error, in: file)
    }
    if tellsEveryStep || !isWell {
      steps = end.steps.map { StepRecord($0, tellsWrites: tellsEveryStep) }
      earlierSteps = end.earlierSteps
    }
    let more = end.pendingWork.count - ScenarioRecord.mostUpcoming
    pendingWork =
      end.pendingWork.prefix(ScenarioRecord.mostUpcoming)
      + (more > 0 ? ["... and \(more) more"] : [])
    if let texts = end.secretTexts { hide { texts.hiding(in: $0) } }
  }

  /// Replaces secrets in all texts that scripts and people have written.
  private mutating func hide(_ hidden: (String) -> String) {
    printed = printed.map(hidden)
    pendingWork = pendingWork.map(hidden)
    problem?.hide(hidden)
    for index in steps.indices { steps[index].hide(hidden) }
  }
}
