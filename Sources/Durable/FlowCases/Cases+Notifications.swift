import FlowHosting
import FlowKernel
import LuaRuntime

/// The events of notifications, as the entries of cases have them.
extension Cases {
  /// The number of entries that are read at once.
  private static let entriesRead = 16
  /// The number of times that machines and views are read to get all of them at one revision.
  private static let readsOfPresent = 4

  /// Returns the next event of a notification's row; nil if no entry up to the last one to send has one.
  func event(
    of task: OpenTask, in caseID: String, _ rules: NotificationRules
  ) async throws -> NotificationEvent? {
    var position = NotificationPosition(task.arguments)
    while !position.isOver {
      let entries = try await self[caseID].page(from: position.seq, limit: Cases.entriesRead)
      let first = entries.first?.seq ?? position.last + 1
      if first > position.seq { return gap(at: position, to: first - 1, of: task, in: caseID) }
      for entry in entries where entry.seq <= position.last {
        let commits = try tasks.entries.commits(of: entry, in: caseID)
        for (index, commit) in commits.enumerated().dropFirst(max(0, position.commit))
        where rules.includes(commit) {
          position.move(
            to: NotificationPosition(seq: entry.seq, commit: index, last: position.last))
          return try await event(commit, in: entry, at: position, of: task, in: caseID, rules)
        }
        position.move(to: NotificationPosition(seq: entry.seq + 1, last: position.last))
      }
    }
    return nil
  }

  private func event(
    _ commit: Commit, in entry: JournalEntry, at position: NotificationPosition,
    of task: OpenTask, in caseID: String, _ rules: NotificationRules
  ) async throws -> NotificationEvent {
    let id = tasks.eventID("\(entry.seq).\(position.commit)", of: task.name, in: caseID)
    let present = try await present(of: caseID, with: rules.views)
    var body: [String: Value] = [
      "id": .string(id), "case": .string(caseID), "seq": .integer(entry.seq),
      "revision": .integer(commit.revision), "action": .string(commit.action),
      "by": commit.dispatchedBy.map(Value.string) ?? .nil,
      "at": .string(WallTime.exact(entry.wall)),
      "machines": .record(present.machines.mapValues { .list($0.map { .string($0) }) }),
      "as_of": .integer(present.revision),
    ]
    if rules.hasPayload {
      body["payload"] = flow.flow.shown(commit.payload, of: commit.action)
    }
    if !rules.views.isEmpty { body["views"] = .record(present.views) }
    return NotificationEvent(
      id: id, position: position, wall: entry.wall, body: .record(body))
  }

  /// Returns the event of entries that compaction has dropped.
  private func gap(
    at position: NotificationPosition, to end: Int, of task: OpenTask, in caseID: String
  ) -> NotificationEvent {
    var position = NotificationPosition(seq: position.seq, last: position.last)
    let end = min(end, position.last)
    position.gap = end
    let id = tasks.eventID("\(position.seq).gap", of: task.name, in: caseID)
    return NotificationEvent(
      id: id, position: position, wall: nil,
      body: [
        "id": .string(id), "case": .string(caseID),
        "gap": ["from": .integer(position.seq), "to": .integer(end)],
      ])
  }

  /// Returns the active states of a case's machines and the values of views, and the revision at which they were read.
  ///
  /// The entry of a commit does not say in which states the machines are. All are read again if the case has changed
  /// between them; if it changes each time, the revision is that of the first read.
  private func present(
    of caseID: String, with names: [String]
  ) async throws -> (machines: [String: [String]], views: [String: Value], revision: Int) {
    var (machines, views): ([String: [String]], [String: Value]) = ([:], [:])
    var revisions: [Int] = []
    for _ in 0..<Cases.readsOfPresent {
      revisions = []
      for name in names {
        let (value, revision) = try await self[caseID].view(name, fresh: true)
        views[name] = value
        revisions.append(revision)
      }
      if let summary = try await summary(of: caseID) {
        machines = summary.activeStates
        revisions.append(summary.revision)
      }
      if revisions.allSatisfy({ $0 == revisions.first }) { break }
    }
    return (machines, views, revisions.first ?? 0)
  }
}
