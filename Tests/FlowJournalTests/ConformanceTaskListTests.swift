import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// The lists of tasks and the work of operators, in every journal.
@Suite struct ConformanceTaskListTests {
  /// A journal with a task in each state.
  private func varied(
    _ kind: TaskTrial.Kind
  ) async throws -> (trial: TaskTrial, ids: [StoredTask.State: Int], unheard: Int) {
    let trial = try await TaskTrial(kind)
    let rows = try await trial.open(
      trial.task("c0", queue: "a"), trial.task("c1", queue: "b"), trial.task("c2", queue: "c"),
      trial.task("c3", kind: .missing), trial.task("c4", queue: "d"),
      trial.task("c5", queue: "e"), trial.task("c6", queue: "f"))
    _ = try await trial.claim("b", "d")
    _ = try await trial.claim("d")
    for (place, queue) in [(2, "c"), (5, "e"), (6, "f")] {
      let token = try await trial.claim(queue).first?.token
      let id = rows[place]
      try await trial.tasks { try $0.answer(id, token: token, with: .answer(1)) }
    }
    let closed: [TaskChanges.Closed] = [.cancelled("c4"), .cancelled("c5"), .answered("c6")]
    #expect(await trial.append(.tasks(2, closes: closed, wall: trial.now), to: "a") == nil)
    let ids: [StoredTask.State: Int] = [
      .ready: rows[0], .leased: rows[1], .answered: rows[2], .dead: rows[3], .cancelled: rows[4],
      .closed: rows[6],
    ]
    return (trial, ids, rows[5])
  }

  @Test(
    "tasks are listed by state, queue and case; closed ones only if their state is named",
    arguments: TaskTrial.Kind.allCases)
  func lists(kind: TaskTrial.Kind) async throws {
    let (trial, all, unheard) = try await varied(kind)
    func ids(_ states: StoredTask.State...) -> [Int] { states.compactMap { all[$0] } }
    for state in [StoredTask.State.ready, .leased, .answered, .closed] {
      #expect(try await trial.ids(TaskQuery(state: state)) == ids(state), "\(state)")
    }
    #expect(try await trial.ids(TaskQuery(state: .called)).isEmpty)
    for state in [StoredTask.State.dead, .cancelled] {
      #expect(try await trial.ids(TaskQuery(state: state)) == ids(state) + [unheard], "\(state)")
    }
    #expect(try await trial.ids() == ids(.ready, .leased, .answered, .dead) + [unheard])
    #expect(try await trial.ids(TaskQuery(queue: "b")) == ids(.leased))
    #expect(try await trial.ids(TaskQuery(state: .ready, queue: "b")).isEmpty)
    let others = try await trial.open(trial.task("d1", queue: "b"), by: "b")
    #expect(try await trial.ids(TaskQuery(queue: "b")) == ids(.leased) + others)
    #expect(try await trial.ids(TaskQuery(caseID: "b")) == others)
    #expect(try await trial.ids(TaskQuery(caseID: "c")).isEmpty)
    #expect(try await trial.ids(TaskQuery(queue: "b\u{301}")).isEmpty)
  }

  @Test("a list is read in pages", arguments: TaskTrial.Kind.allCases)
  func pages(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1"), trial.task("c2"), trial.task("c3"), trial.task("c4"), trial.task("c5"))
    var (found, last): ([Int], Int) = ([], 0)
    while true {
      let page = try await trial.ids(TaskQuery(after: last, limit: 2))
      guard let end = page.last else { break }
      (found, last) = (found + page, end)
    }
    #expect(found == ids)
    for limit in [0, -1] { #expect(try await trial.ids(TaskQuery(limit: limit)).isEmpty) }
  }

  @Test(
    "tasks are counted by queue and state, with the opening of the oldest",
    arguments: TaskTrial.Kind.allCases)
  func counts(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    _ = try await trial.open(
      trial.task("c1", opened: -5), trial.task("c2", opened: -7), trial.task("c3", queue: "b"),
      trial.task("c4", queue: "c"), trial.task("c5", queue: "d"))
    _ = try await trial.claim("b")
    _ = try await trial.claim("c")
    _ = try await trial.claim("d")
    #expect(
      await trial.append(.tasks(2, closes: [.cancelled("c4"), .cancelled("c5")]), to: "a") == nil)
    _ = try await trial.tasks { try $0.answer(call: "c5", with: .answer(1)) }
    let now = trial.now
    let counts = try await trial.store.readingTasks { (rows) throws(JournalError) in
      try rows.counts()
    }
    #expect(
      Set(counts) == [
        TaskCount(queue: "mail", state: .ready, count: 2, oldest: now - 7),
        TaskCount(queue: "b", state: .leased, count: 1, oldest: now - 1_000_000),
        TaskCount(queue: "d", state: .cancelled, count: 1, oldest: now - 1_000_000),
      ])
  }

  @Test(
    "free tasks of a queue are counted up to a limit, and answers are listed in order",
    arguments: TaskTrial.Kind.allCases)
  func free(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1"), trial.task("c2"), trial.task("c3"), trial.task("c4", opened: 9),
      trial.task("c5", queue: "b"))
    let now = trial.now
    func count(_ limit: Int) async throws -> Int {
      try await trial.tasks { try $0.rows.freeCount(in: "mail", until: now, limit: limit) }
    }
    #expect(try await count(9) == 3)
    #expect(try await count(2) == 2)
    for place in [2, 0] {
      let id = ids[place]
      try await trial.tasks { try $0.answer(call: "c\(place + 1)", with: .answer(.integer(id))) }
    }
    #expect(try await count(9) == 1)
    let answered = try await trial.tasks { try $0.rows.answered(after: nil, limit: 9) }
    #expect(Set(answered.map(\.id)) == [ids[0], ids[2]])
    let order = answered.map { [$0.answered ?? 0, $0.id] }
    #expect(order == order.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(
      try await trial.tasks { try $0.rows.answered(after: nil, limit: 1) }.map(\.id) == [
        answered[0].id
      ])
    let second = try await trial.tasks { try $0.rows.answered(after: answered[0], limit: 9) }
    #expect(second.map(\.id) == answered.dropFirst().map(\.id))
  }

  @Test(
    "a retried dead task counts its leases from zero, and one that nobody provides stays dead",
    arguments: TaskTrial.Kind.allCases)
  func retries(kind: TaskTrial.Kind) async throws {
    let (trial, ids, unheard) = try await varied(kind)
    for (state, name) in [
      (.ready, "answered"), (.leased, "answered"), (.answered, "answered"), (.dead, "answered"),
      (.cancelled, "closed"), (.closed, "closed"),
    ] as [(StoredTask.State, String)] {
      let id = try #require(ids[state])
      let reply = try await trial.tasks { try $0.retry(id) }
      #expect(reply.name == name && reply.row?.state == state, "\(state)")
    }
    #expect(try await trial.tasks { try $0.retry(unheard) }.name == "closed")
    #expect(try await trial.tasks { try $0.retry(unheard + 99) }.name == "unknown")
    let lost = try await trial.open(trial.task("d1", queue: "g"), by: "b")[0]
    let token = try #require(try await trial.claim("g", lease: 0).first?.token)
    #expect(try await trial.claim("g", attempts: 1).isEmpty)
    let reply = try await trial.tasks { try $0.retry(lost) }
    let row = try #require(reply.row)
    #expect(reply.name == "done" && row.state == .ready && row.lost == 0 && row.token == nil)
    let late = try await trial.tasks { try $0.answer(lost, token: token, with: .answer(1)) }
    #expect(late.name == "leaseLost")
    let claimed = try await trial.claim("g", attempts: 1)
    #expect(claimed.map(\.id) == [lost] && claimed.map(\.attempt) == [2])
  }

  @Test(
    "dead tasks are retried by queue and case, up to a limit, and those that cannot be are skipped",
    arguments: TaskTrial.Kind.allCases)
  func retriesMany(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let first = try await trial.open(
      trial.task("c0", kind: .missing), trial.task("c1"), trial.task("c2"),
      trial.task("c3", queue: "b"))
    let second = try await trial.open(trial.task("d1"), trial.task("d2"), by: "b")
    func kill() async throws {
      for queue in ["mail", "b"] {
        _ = try await trial.claim(queue, most: 9, lease: 0)
        _ = try await trial.claim(queue, most: 9, attempts: 1)
      }
    }
    func retry(_ query: TaskQuery) async throws -> [Int] {
      try await trial.tasks { try $0.retry(query).map(\.id) }
    }
    try await kill()
    #expect(try await trial.ids(TaskQuery(state: .dead)) == first + second)
    #expect(try await retry(TaskQuery(queue: "b")) == [first[3]])
    #expect(try await retry(TaskQuery(queue: "mail", caseID: "b")) == second)
    #expect(try await retry(TaskQuery(queue: "nothing")).isEmpty)
    try await kill()
    #expect(try await retry(TaskQuery(limit: 2)) == [first[1], first[2]])
    #expect(try await retry(TaskQuery(state: .ready, limit: 5_000)) == [first[3]] + second)
    #expect(try await trial.ids(TaskQuery(state: .dead)) == [first[0]])
  }

  @Test(
    "an answer that nothing waited for can be dropped, and no other task",
    arguments: TaskTrial.Kind.allCases)
  func drops(kind: TaskTrial.Kind) async throws {
    let (trial, ids, unheard) = try await varied(kind)
    for (state, id) in ids {
      #expect(try await trial.tasks { try $0.drop(id) }.name == "answered", "\(state)")
      #expect(try await trial.row(id)?.state == state)
    }
    #expect(try await trial.tasks { try $0.drop(unheard) }.name == "done")
    #expect(try await trial.row(unheard) == nil)
    #expect(try await trial.tasks { try $0.drop(unheard) }.name == "unknown")
  }

  @Test(
    "closed tasks are kept for an hour, and cancelled ones for a week",
    arguments: TaskTrial.Kind.allCases)
  func deletes(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1"), trial.task("c2"), trial.task("c3"), trial.task("c4"), trial.task("c5"))
    #expect(try await trial.claim("mail", most: 5).count == 5)
    let (minute, week) = (60_000_000, 7 * 24 * TaskTrial.hour)
    for (seq, closed, age) in [
      (2, .answered("c1"), TaskTrial.hour + minute), (3, .answered("c2"), TaskTrial.hour - minute),
      (4, .cancelled("c3"), week + minute), (5, .cancelled("c4"), week - minute),
    ] as [(Int, TaskChanges.Closed, Int)] {
      #expect(
        await trial.append(.tasks(seq, closes: [closed], wall: trial.now - age), to: "a") == nil)
    }
    try await trial.tasks { try $0.deleteEnded() }
    let left = try await trial.tasks { table in try ids.filter { try table.rows.row($0) != nil } }
    #expect(left == [ids[1], ids[3], ids[4]])
  }
}
