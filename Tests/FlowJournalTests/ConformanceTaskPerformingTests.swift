import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// Tasks that nodes perform themselves, in every journal.
@Suite struct ConformanceTaskPerformingTests {
  /// A journal with a case that has opened tasks, all but the last one leased to its node.
  private func opened(
    _ kind: TaskTrial.Kind, _ calls: String..., length: Int = TaskTrial.hour,
    isOnce: Bool = false, deadline: Int? = nil
  ) async throws -> (trial: TaskTrial, ids: [Int]) {
    let trial = try await TaskTrial(kind)
    let tasks = calls.map {
      trial.task($0, queue: "#root.mail", kind: .http, isOnce: isOnce, deadline: deadline)
    }
    var entry = JournalEntry.tasks(1, opens: tasks, wall: trial.now)
    for task in tasks.dropLast() {
      entry.leases[task.key] = TaskLease(token: "t-\(task.call)", worker: "n0", length: length)
    }
    #expect(await trial.append(entry, to: "a") == nil)
    return (trial, try await trial.ids(TaskQuery(caseID: "a")))
  }

  private func key(_ call: String, try tryNumber: Int = 1) -> OpenTask.Key {
    OpenTask.Key(call: call, tryNumber: tryNumber)
  }

  @Test(
    "a row is inserted with the lease of the node that performs it, and is no one's to claim",
    arguments: TaskTrial.Kind.allCases)
  func bornLeased(kind: TaskTrial.Kind) async throws {
    let (trial, ids) = try await opened(kind, "c1", "c2")
    let leased = try #require(try await trial.row(ids[0]))
    #expect(leased.state == .leased && leased.token == "t-c1" && leased.worker == "n0")
    #expect(leased.attempt == 1 && leased.lost == 0)
    let minute = 60_000_000
    let end = trial.now + TaskTrial.hour
    #expect((end - minute...end + minute).contains(leased.free ?? 0))
    let ready = try #require(try await trial.row(ids[1]))
    #expect(ready.state == .ready && ready.attempt == 0 && ready.token == nil)
    #expect(try await trial.claim("#root.mail", most: 9).map(\.id) == [ids[1]])
  }

  @Test(
    "a task is answered by its call with the token of its lease alone",
    arguments: TaskTrial.Kind.allCases)
  func answers(kind: TaskTrial.Kind) async throws {
    let (trial, ids) = try await opened(kind, "c1", "c2")
    for (task, token, name) in [
      (key("c1"), "t-c2", "leaseLost"), (key("c1", try: 2), "t-c1", "unknown"),
      (key("c3"), "t-c1", "unknown"), (key("c1"), "t-c1", "done"), (key("c1"), "t-c1", "done"),
    ] {
      let reply = try await trial.tasks { try $0.answer(task, token: token, with: .answer(7)) }
      #expect(reply.name == name)
    }
    #expect(try await trial.row(ids[0])?.outcome == .answer(7))
    let other = try await trial.tasks { try $0.answer(key("c1"), token: "t-c1", with: .answer(8)) }
    #expect(other.name == "answered")
  }

  @Test(
    "a task whose request was accepted waits for its answer without a lease, up to its deadline",
    arguments: TaskTrial.Kind.allCases)
  func accepted(kind: TaskTrial.Kind) async throws {
    let (trial, ids) = try await opened(kind, "c1", "c2", length: 0)
    #expect(try await trial.tasks { try $0.accept(key("c1"), token: "t-c1") }.name == "done")
    #expect(try await trial.row(ids[0])?.state == .called)
    #expect(try await trial.claim("#root.mail", most: 9).map(\.id) == [ids[1]])
    #expect(try await trial.tasks { try $0.answer(call: "c1", with: .answer(7)) }.name == "done")
    #expect(try await trial.tasks { try $0.accept(key("c1"), token: "t-c1") }.name == "answered")
    #expect(try await trial.row(ids[0])?.outcome == .answer(7))

    let (late, lateIDs) = try await opened(kind, "c1", "c2", deadline: -1)
    #expect(try await late.tasks { try $0.accept(key("c1"), token: "t-c1") }.name == "done")
    #expect(try await late.tasks { try $0.expire() } == 2)
    #expect(
      try await late.row(lateIDs[0])?.outcome
        == .failed("mail: no answer came in time", isFinal: true))
  }

  @Test(
    "a task that nobody can perform is dead with the reason, and is tried again by an operator",
    arguments: TaskTrial.Kind.allCases)
  func dead(kind: TaskTrial.Kind) async throws {
    let (trial, ids) = try await opened(kind, "c1", "c2")
    let reply = try await trial.tasks {
      try $0.end(key("c1"), token: "t-c1", because: "401 from the provider")
    }
    #expect(reply.name == "done")
    let row = try #require(try await trial.row(ids[0]))
    #expect(row.state == .dead && row.free == nil && row.error == "401 from the provider")
    #expect(try await trial.tasks { try $0.retry(ids[0]) }.name == "done")
    let again = try await trial.claim("#root.mail", most: 9)
    #expect(again.first { $0.id == ids[0] }?.attempt == 2)
  }

  @Test(
    "a task that is performed at most once fails instead, and is not given back",
    arguments: TaskTrial.Kind.allCases)
  func once(kind: TaskTrial.Kind) async throws {
    let (trial, ids) = try await opened(kind, "c1", "c2", "c3", isOnce: true)
    try await trial.tasks {
      _ = try $0.end(key("c1"), token: "t-c1", because: "401 from the provider")
      _ = try $0.giveBack(key("c2"), token: "t-c2", after: 0)
      try $0.endLeases()
    }
    #expect(
      try await trial.row(ids[0])?.outcome
        == .failed("mail: 401 from the provider", isFinal: true))
    #expect(try await trial.row(ids[1])?.state == .leased)
    #expect(try await trial.claim("#root.mail", most: 9).map(\.id) == [ids[2]])
  }

  @Test(
    "a task that was given back is free with no lease lost, at once or after a time",
    arguments: TaskTrial.Kind.allCases)
  func givenBack(kind: TaskTrial.Kind) async throws {
    let (trial, ids) = try await opened(kind, "c1", "c2", "c3")
    for (call, time) in [("c1", 0), ("c2", TaskTrial.hour)] {
      let reply = try await trial.tasks {
        try $0.giveBack(key(call), token: "t-\(call)", after: time)
      }
      #expect(reply.name == "done")
    }
    let claimed = try await trial.claim("#root.mail", most: 9)
    #expect(Set(claimed.map(\.id)) == [ids[0], ids[2]])
    #expect(claimed.allSatisfy { $0.lost == 0 })
    #expect(
      try await trial.tasks { try $0.giveBack(key("c1"), token: "t-c1", after: 0) }.name
        == "leaseLost")
  }

  @Test(
    "the leases of a process that has ended are lost at once, those of workers stay",
    arguments: TaskTrial.Kind.allCases)
  func endedLeases(kind: TaskTrial.Kind) async throws {
    let (trial, ids) = try await opened(kind, "c1", "c2")
    let others = try await trial.open(trial.task("c3", queue: "jobs"), by: "b")
    #expect(try await trial.claim("jobs").map(\.id) == others)
    try await trial.tasks { try $0.endLeases() }
    let claimed = try await trial.claim("#root.mail", "jobs", most: 9)
    #expect(Set(claimed.map(\.id)) == Set(ids))
    let again = claimed.first { $0.id == ids[0] }
    #expect(again?.attempt == 2 && again?.lost == 1 && again?.token != "t-c1")
  }

  @Test(
    "a cancelled task that its node has is kept, with the answer that comes all the same",
    arguments: TaskTrial.Kind.allCases)
  func cancelled(kind: TaskTrial.Kind) async throws {
    let (trial, ids) = try await opened(kind, "c1", "c2")
    #expect(
      await trial.append(
        .tasks(2, closes: [.cancelled("c1"), .cancelled("c2")], wall: trial.now), to: "a") == nil)
    #expect(try await trial.row(ids[0])?.state == .cancelled)
    #expect(try await trial.row(ids[1]) == nil)
    for body in ["give back", "accept", "end"] {
      let reply = try await trial.tasks { table in
        switch body {
        case "accept": try table.accept(key("c1"), token: "t-c1")
        case "end": try table.end(key("c1"), token: "t-c1", because: "x")
        default: try table.giveBack(key("c1"), token: "t-c1", after: 0)
        }
      }
      #expect(reply.name == "closed")
    }
    let reply = try await trial.tasks { try $0.answer(key("c1"), token: "t-c1", with: .answer(7)) }
    #expect(reply.name == "unheard" && reply.row?.isUnheard == true)
  }
}
