import FlowLanguage
import LuaRuntime

extension StepRecord {
  /// The number of changes of a step that are stored.
  private static let most = 20

  /// - Parameter tellsWrites: true for each write in place of the net changes.
  init(_ step: Step, tellsWrites: Bool = false) {
    switch step.outcome {
    case .passed(let commit):
      self.init(action: step.action, outcome: .passed)
      revision = commit.revision
      cause = commit.cause
      isPostponed = commit.isPostponed
      microseconds = commit.microseconds
      transitions = step.transitions
      setPatch(tellsWrites ? commit.writes : commit.changes, eventless: step.eventless)
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
      if let patch = tellsWrites ? failure.writes : failure.changes { setPatch(patch) }
    }
    payload = step.payload?.text(limit: 200)
    microseconds = step.time ?? microseconds
  }

  mutating func hide(_ hidden: (String) -> String) {
    message = message.map(hidden)
    payload = payload.map(hidden)
    calls = calls.map(hidden)
    for index in changes.indices {
      changes[index].path = hidden(changes[index].path)
      changes[index].old = hidden(changes[index].old)
      changes[index].new = hidden(changes[index].new)
    }
  }

  private mutating func setPatch(_ patch: Patch, eventless: [String: String] = [:]) {
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
