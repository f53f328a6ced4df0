import FlowLanguage
import LuaRuntime

/// Making records of what happened in a VM.
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
      steps = end.steps.map { StepRecord($0) }
      earlierSteps = end.earlierSteps
    }
    let more = end.pendingWork.count - ScenarioRecord.mostUpcoming
    pendingWork =
      end.pendingWork.prefix(ScenarioRecord.mostUpcoming)
      + (more > 0 ? ["... and \(more) more"] : [])
    if let texts = end.secretTexts { hide { texts.hiding(in: $0) } }
  }

  /// Takes out of all that scripts and people have written what is not to be shown.
  private mutating func hide(_ hidden: (String) -> String) {
    printed = printed.map(hidden)
    pendingWork = pendingWork.map(hidden)
    problem?.hide(hidden)
    for index in steps.indices { steps[index].hide(hidden) }
  }
}

extension ProblemRecord {
  fileprivate init(_ failure: FailedExpectation, in file: ScenarioFile) {
    self.init(kind: "expectation", message: failure.message)
    mismatches = failure.mismatches
    decisions = failure.decisions
    locate(failure.place.file, failure.place.line, failure.traceback, in: file)
  }

  fileprivate init(_ error: ScriptError, in file: ScenarioFile) {
    self.init(kind: error.kind.rawValue, message: error.message)
    locate(error.chunk, error.line, error.traceback, in: file)
  }

  fileprivate mutating func hide(_ hidden: (String) -> String) {
    message = hidden(message)
    calls = calls.map(hidden)
    mismatches = mismatches.map {
      Mismatch(path: hidden($0.path), expected: hidden($0.expected), found: hidden($0.found))
    }
    for index in source.indices { source[index].text = hidden(source[index].text) }
  }

  private mutating func locate(
    _ name: String?, _ number: Int?, _ traceback: [String], in file: ScenarioFile
  ) {
    self.file = name
    line = number
    guard let name, let number else { return }
    if name == file.name { source = SourceExcerpt(of: file, around: number).numbered }
    calls = CallLines(traceback, at: "\(name):\(number)").lines
  }
}

extension StepRecord {
  /// How many changes of a step are kept.
  private static let most = 20

  init(_ step: Step) {
    switch step.outcome {
    case .passed(let commit):
      self.init(action: step.action, outcome: .passed)
      revision = commit.revision
      cause = commit.cause
      isPostponed = commit.isPostponed
      microseconds = commit.microseconds
      transitions = step.transitions
      take(commit.patch, eventless: step.eventless)
    case .refused(let refusal):
      self.init(action: step.action, outcome: .refused)
      by = refusal.rejectedBy.description
      message = refusal.description + (step.spent.map { "; \($0)" } ?? "")
      // A sentence without a reason names the place itself.
      place = refusal.reason == nil ? nil : refusal.place.description
    case .failed(let failure):
      self.init(action: step.action, outcome: .failed)
      by = failure.kind.rawValue
      message = failure.summary
      calls =
        CallLines(failure.script?.traceback ?? [], at: failure.script?.place ?? "").lines
      if let patch = failure.patch { take(patch) }
    }
    payload = step.payload?.text(limit: 200)
    microseconds = step.time ?? microseconds
  }

  fileprivate mutating func hide(_ hidden: (String) -> String) {
    message = message.map(hidden)
    payload = payload.map(hidden)
    calls = calls.map(hidden)
    for index in changes.indices {
      changes[index].path = hidden(changes[index].path)
      changes[index].old = hidden(changes[index].old)
      changes[index].new = hidden(changes[index].new)
    }
  }

  private mutating func take(_ patch: Patch, eventless: [String: String] = [:]) {
    let all = patch.changes.map(\.shown)
    changes = zip(all, all.made(by: eventless)).prefix(StepRecord.most).map { change, round in
      Change(
        operation: change.operation, path: change.path.description,
        old: change.old.text(limit: 200), new: change.new.text(limit: 200),
        by: round)
    }
    moreChanges = all.count - changes.count
  }
}

extension StepRecord.Change: CustomStringConvertible {
  /// The change on one line: `coins: 0 -> 1`, `rows[3]: inserted { id = 7 }`.
  package var description: String {
    switch operation {
    case .set: "\(path): \(old) -> \(new)" + (by.map { "  by \($0)" } ?? "")
    case .insert: "\(path): inserted \(new)"
    case .remove: "\(path): removed \(old)"
    }
  }
}
