import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// The tasks of entries, in every journal.
@Suite struct ConformanceTasksTests {
  @Test(
    "a task is opened with its entry, and stored as it was opened",
    arguments: TaskTrial.Kind.allCases)
  func opens(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let plain = trial.task("j/a/e1/1", arguments: ["text": "é", "more": [1, 2.5, true]])
    let full = trial.task(
      "j/a/e1/retry1.1", try: 3, queue: "other", scopeKey: ["id": 7, "name": "é"], isOnce: true,
      opened: -5, deadline: 7)
    let ids = try await trial.open(plain, full)
    #expect(ids.count == 2 && ids[0] < ids[1])
    let rows = [try await trial.row(ids[0]), try await trial.row(ids[1])].compactMap(\.self)
    #expect(rows.map(\.task) == [plain, full] && rows.allSatisfy { $0.caseID == "a" })
    for row in rows {
      #expect(row.state == .ready && row.free == row.task.opened && row.attempt == 0)
      #expect(row.lost == 0 && row.token == nil && row.worker == nil && row.error == nil)
      #expect(row.outcome == nil && row.answered == nil && !row.isUnheard)
    }
    #expect(try await trial.row(ids[1] + 1) == nil)
  }

  @Test("a refused append opens and closes no task", arguments: TaskTrial.Kind.allCases)
  func refused(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(trial.task("j/a/e1/1"))
    let closed = [TaskChanges.Closed.cancelled("j/a/e1/1")]
    let opened = [trial.task("j/a/e2/1")]
    #expect(
      await trial.append(.tasks(3, closes: closed, opens: opened), to: "a") == .failed)
    #expect(
      await trial.append(.tasks(2, closes: closed, opens: opened), to: "a", fence: 9) == .fenced)
    #expect(await trial.append(.tasks(1, opens: opened), to: "a") == .knownCase)
    #expect(await trial.append(.tasks(2, opens: opened), to: "b") == .unknownCase)
    #expect(
      await trial.append(
        .tasks(2, closes: closed, opens: opened), .tasks(4), to: "a") == .failed)
    #expect(try await trial.ids() == ids)
  }

  @Test(
    "a task that nobody provides is dead, with the reason", arguments: TaskTrial.Kind.allCases)
  func missing(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(trial.task("j/a/e1/1", queue: "", kind: .missing))
    let row = try #require(try await trial.row(ids[0]))
    #expect(row.state == .dead && row.free == nil && row.error == "nobody provides root.mail")
  }

  @Test(
    "an entry closes tasks before it opens others, also of the same call",
    arguments: TaskTrial.Kind.allCases)
  func tries(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let first = try await trial.open(trial.task("j/a/e1/1"))[0]
    let token = try #require(try await trial.claim("mail").first?.token)
    try await trial.tasks { try $0.answer(first, token: token, with: .failed("mail: 503")) }
    #expect(
      await trial.append(
        .tasks(2, closes: [.answered("j/a/e1/1")], opens: [trial.task("j/a/e1/1", try: 2)]),
        to: "a") == nil)
    let closed = try #require(try await trial.row(first))
    #expect(closed.state == .closed && closed.outcome == .failed("mail: 503"))
    let open = try await trial.ids()
    #expect(open.count == 1 && open != [first])
    #expect(try await trial.row(open[0])?.task.tryNumber == 2)
    // The earlier try is closed already.
    #expect(
      await trial.append(.tasks(3, closes: [.cancelled("j/a/e1/1")]), to: "a") == nil)
    #expect(try await trial.ids() == open)
  }

  @Test(
    "a cancelled task is deleted if nobody has it, and kept for whoever has it",
    arguments: TaskTrial.Kind.allCases)
  func cancelled(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1"), trial.task("c2", queue: "leased"), trial.task("c3", queue: "answered"),
      trial.task("c4", queue: "other"))
    let token = try #require(try await trial.claim("answered").first?.token)
    #expect(try await trial.claim("leased").map(\.id) == [ids[1]])
    try await trial.tasks { try $0.answer(ids[2], token: token, with: .answer(7)) }
    let calls = ["c1", "c2", "c3"]
    #expect(
      await trial.append(
        .tasks(2, closes: calls.map { .cancelled($0) }, wall: trial.now), to: "a") == nil)
    #expect(try await trial.row(ids[0]) == nil)
    let leased = try #require(try await trial.row(ids[1]))
    #expect(leased.state == .cancelled && leased.free == nil && !leased.isUnheard)
    #expect(leased.answered == trial.now)
    let answered = try #require(try await trial.row(ids[2]))
    #expect(answered.isUnheard && answered.outcome == .answer(7))
    #expect(try await trial.row(ids[3])?.state == .ready)
  }

  @Test(
    "a case that ends closes all of its tasks, and none of another case",
    arguments: TaskTrial.Kind.allCases)
  func ends(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(trial.task("c1"), trial.task("c2", queue: "leased"))
    let others = try await trial.open(trial.task("c3"), by: "b")
    #expect(try await trial.claim("leased").count == 1)
    #expect(await trial.append(.tasks(2, ends: true), to: "a") == nil)
    #expect(try await trial.row(ids[0]) == nil)
    #expect(try await trial.row(ids[1])?.state == .cancelled)
    #expect(try await trial.ids() == others)
  }

  @Test(
    "an activation returns the open tasks, and answers in the order in which they were given",
    arguments: TaskTrial.Kind.allCases)
  func activation(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1"), trial.task("c2"), trial.task("c3"), trial.task("c4", try: 2))
    _ = try await trial.open(trial.task("c5"), by: "b")
    var tokens: [Int: String] = [:]
    for row in try await trial.claim("mail", most: 4) { tokens[row.id] = row.token }
    for (place, outcome) in [(3, .answer("late")), (0, .failed("mail: 402", isFinal: true))]
      as [(Int, TaskOutcome)]
    {
      let token = tokens[ids[place]]
      try await trial.tasks { try $0.answer(ids[place], token: token, with: outcome) }
    }
    #expect(await trial.append(.tasks(2, closes: [.cancelled("c2")]), to: "a") == nil)
    let tasks = try #require(try await trial.store.activate("a")?.tasks)
    #expect(
      tasks.keys == [
        .init(call: "c1", tryNumber: 1), .init(call: "c3", tryNumber: 1),
        .init(call: "c4", tryNumber: 2),
      ])
    let times = tasks.answers.map(\.time)
    #expect(times == times.sorted() && times.allSatisfy { $0 >= trial.now })
    #expect(Set(tasks.answers.map(\.key.call.text)) == ["c1", "c4"])
    #expect(
      tasks.answers.first { $0.key.call.text == "c1" }?.outcome
        == .failed("mail: 402", isFinal: true))
  }

  @Test("an erased case has no tasks", arguments: TaskTrial.Kind.allCases)
  func erased(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(trial.task("c1"), trial.task("c2", queue: "leased"))
    let others = try await trial.open(trial.task("c3"), by: "b")
    #expect(try await trial.claim("leased").count == 1)
    guard try trial.erase("a") else { return }
    for id in ids { #expect(try await trial.row(id) == nil) }
    #expect(try await trial.ids() == others)
  }

  @Test(
    "a transaction that fails changes no task", arguments: TaskTrial.Kind.allCases)
  func failing(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(trial.task("c1"))
    await #expect(throws: JournalError.self) {
      try await trial.tasks { table in
        _ = try table.claim(TaskClaim(queues: ["mail"], most: 1, worker: "one"))
        throw JournalError(.failed, "no")
      }
    }
    let row = try #require(try await trial.row(ids[0]))
    #expect(row.state == .ready && row.attempt == 0 && row.token == nil)
  }
}
