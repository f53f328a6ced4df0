import FlowKernel
import LuaRuntime
import Testing

@testable import FlowHosting

/// Rows of notifications, in every journal.
@Suite struct ConformanceNotificationsTests {
  private static let queue = "#notify.erp"

  /// An entry with a commit to send.
  private func entry(
    _ seq: Int, of id: String, in trial: TaskTrial, ends: Bool = false
  ) -> JournalEntry {
    var entry = JournalEntry.tasks(seq, ends: ends, wall: trial.now)
    entry.notified = [
      OpenTask(
        call: "j/erp/\(id)/\(seq)", tryNumber: 1, effect: 0, position: "erp",
        scope: OpenTask.notificationScope, name: "erp",
        arguments: NotificationPosition(seq: seq, last: seq).arguments, kind: .notification,
        queue: Self.queue, isOnce: false, opened: trial.now - 1_000_000, deadline: nil)
    ]
    return entry
  }

  /// A journal with a case that has something to send, and the number of its row.
  private func opened(_ kind: TaskTrial.Kind) async throws -> (trial: TaskTrial, id: Int) {
    let trial = try await TaskTrial(kind)
    #expect(await trial.append(entry(1, of: "a", in: trial), to: "a") == nil)
    return (trial, try #require(try await trial.ids().first))
  }

  private func claim(_ trial: TaskTrial) async throws -> (key: OpenTask.Key, token: String) {
    let row = try #require(try await trial.claim(Self.queue).first)
    return (row.task.key, try #require(row.token))
  }

  private func advance(
    _ trial: TaskTrial, _ claimed: (key: OpenTask.Key, token: String), to seq: Int
  ) async throws -> TaskReply {
    let (key, token) = claimed
    return try await trial.tasks {
      try $0.advance(
        key, token: token, to: NotificationPosition(seq: seq, last: 0), sent: nil,
        lease: TaskTrial.hour)
    }
  }

  private func postpone(
    _ trial: TaskTrial, _ claimed: (key: OpenTask.Key, token: String), giveUp: Int,
    after: Double? = nil
  ) async throws -> TaskReply {
    let (key, token) = claimed
    return try await trial.tasks {
      try $0.postpone(
        key, token: token, at: NotificationPosition(seq: 1, last: 1), because: "503",
        after: after, giveUp: giveUp, spread: 1)
    }
  }

  @Test(
    "a case has one row, which knows the last entry to send", arguments: TaskTrial.Kind.allCases)
  func set(kind: TaskTrial.Kind) async throws {
    let (trial, id) = try await opened(kind)
    #expect(try await trial.row(id)?.position == NotificationPosition(seq: 1, last: 1))
    #expect(await trial.append(entry(2, of: "a", in: trial), to: "a") == nil)
    #expect(await trial.append(.tasks(3, wall: trial.now), to: "a") == nil)
    #expect(try await trial.ids() == [id])
    #expect(try await trial.row(id)?.position == NotificationPosition(seq: 1, last: 2))
    #expect(await trial.append(entry(1, of: "b", in: trial), to: "b") == nil)
    #expect(try await trial.claim(Self.queue, most: 9).map(\.caseID) == ["a", "b"])
  }

  @Test(
    "a row stays while entries come, goes with the last one, and is set again",
    arguments: TaskTrial.Kind.allCases)
  func advances(kind: TaskTrial.Kind) async throws {
    let (trial, id) = try await opened(kind)
    let claimed = try await claim(trial)
    #expect(await trial.append(entry(2, of: "a", in: trial), to: "a") == nil)
    let other = try await advance(trial, (claimed.key, "other"), to: 2)
    #expect(other.name == "leaseLost")
    let first = try await advance(trial, claimed, to: 2)
    #expect(first.name == "done" && first.row?.state == .leased)
    #expect(first.row?.position == NotificationPosition(seq: 2, last: 2))
    #expect(try await advance(trial, claimed, to: 3).name == "closed")
    #expect(try await trial.row(id) == nil)
    #expect(try await advance(trial, claimed, to: 4).name == "unknown")
    #expect(await trial.append(entry(3, of: "a", in: trial), to: "a") == nil)
    let again = try #require(try await trial.claim(Self.queue).first)
    #expect(again.position == NotificationPosition(seq: 3, last: 3) && again.id > id)
  }

  @Test(
    "an event that fails is tried later, then is dead, and takes no answer",
    arguments: TaskTrial.Kind.allCases)
  func fails(kind: TaskTrial.Kind) async throws {
    let (trial, id) = try await opened(kind)
    let failed = try await postpone(
      trial, try await claim(trial), giveUp: TaskTrial.hour, after: 60)
    let row = try #require(failed.row)
    #expect(row.state == .ready && row.token == nil && row.error == "503")
    #expect(row.position.failures == 1 && row.position.failing != nil)
    #expect(try await trial.claim(Self.queue).isEmpty)
    // The event is skipped, and with it all that was left.
    let dropped = try await trial.tasks { try $0.drop(id) }
    #expect(dropped.row?.position == NotificationPosition(seq: 1, commit: 1, last: 1))
    let dead = try await postpone(trial, try await claim(trial), giveUp: 0)
    #expect(dead.row?.state == .dead)
    let byNumber = try await trial.tasks { try $0.answer(id, token: nil, with: .answer(1)) }
    let byCall = try await trial.tasks { try $0.answer(call: "j/erp/a/1", with: .answer(1)) }
    #expect(byNumber.name == "leaseLost" && byCall.name == "unknown")
    #expect(await trial.append(entry(2, of: "a", in: trial), to: "a") == nil)
    #expect(try await trial.claim(Self.queue).isEmpty)
    let retried = try await trial.tasks { try $0.retry(id) }
    #expect(retried.row?.state == .ready && retried.row?.position.failures == 0)
    #expect(retried.row?.position.last == 2 && retried.row?.error == nil)
    let held = try await trial.tasks { try $0.drop(id) }
    #expect(held.name == "answered")
  }

  @Test("pauses double from a second to an hour")
  func pauses() {
    #expect(
      [1, 2, 3, 12, 13, 1_000].map(TaskTable.pause(after:)) == [1, 2, 4, 2_048, 3_600, 3_600])
  }

  @Test(
    "the end of a case closes no row of a notification, and no effect waits for it",
    arguments: TaskTrial.Kind.allCases)
  func ended(kind: TaskTrial.Kind) async throws {
    let (trial, id) = try await opened(kind)
    #expect(try await trial.store.activate("a")?.tasks?.keys.isEmpty == true)
    #expect(await trial.append(entry(2, of: "a", in: trial, ends: true), to: "a", fence: 2) == nil)
    #expect(try await trial.row(id)?.position.last == 2)
    #expect(try await trial.row(id)?.state == .ready)
  }

  @Test(
    "rows go with the notification of the host file, unless somebody holds them",
    arguments: TaskTrial.Kind.allCases)
  func removed(kind: TaskTrial.Kind) async throws {
    let (trial, id) = try await opened(kind)
    let erp = TaskPerformer(
      scope: OpenTask.notificationScope, name: "erp", kind: .notification, queue: Self.queue)
    try await trial.tasks { try $0.retarget([erp]) }
    #expect(try await trial.row(id)?.state == .ready)
    let claimed = try await claim(trial)
    try await trial.tasks { try $0.retarget([]) }
    #expect(try await trial.row(id)?.state == .leased)
    let (key, token) = claimed
    let back = try await trial.tasks { try $0.giveBack(key, token: token, after: 0) }
    #expect(back.name == "done")
    try await trial.tasks { try $0.retarget([]) }
    #expect(try await trial.row(id) == nil)
  }
}
