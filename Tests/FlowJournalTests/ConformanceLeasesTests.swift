import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// The leases of tasks, in every journal.
@Suite struct ConformanceLeasesTests {
  @Test(
    "tasks are claimed in the order in which they became free, and equal ones by number",
    arguments: TaskTrial.Kind.allCases)
  func order(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1", opened: -1_000_000), trial.task("c2", opened: -3_000_000),
      trial.task("c3", opened: -1_000_000), trial.task("c4", opened: TaskTrial.hour),
      trial.task("c5", queue: "other", opened: -9_000_000))
    #expect(try await trial.claim("mail", most: 2).map(\.id) == [ids[1], ids[0]])
    // One is not free yet, and one is in another queue.
    #expect(try await trial.claim("mail", most: 9).map(\.id) == [ids[2]])
    #expect(try await trial.claim("mail").isEmpty)
    #expect(try await trial.claim("nothing").isEmpty)
    #expect(try await trial.claim("other").map(\.id) == [ids[4]])
  }

  @Test("a claim leases a task to a worker", arguments: TaskTrial.Kind.allCases)
  func lease(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(trial.task("c1"))
    let claimed = try #require(try await trial.claim("mail", by: "é").first)
    #expect(claimed.id == ids[0] && claimed.state == .leased && claimed.attempt == 1)
    #expect(claimed.worker == "é" && claimed.lost == 0 && claimed.outcome == nil)
    let token = try #require(claimed.token)
    #expect(token.count == 16 && token.allSatisfy(\.isHexDigit))
    #expect(claimed.free.map { $0 >= trial.now + TaskTrial.hour } == true)
    #expect(try await trial.row(ids[0]) == claimed)
  }

  @Test(
    "a claim takes one task of each of its queues in turn, in the order in which it names them",
    arguments: TaskTrial.Kind.allCases)
  func fairness(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("a1", queue: "a"), trial.task("a2", queue: "a"), trial.task("a3", queue: "a"),
      trial.task("b1", queue: "b"), trial.task("c1", queue: "c"), trial.task("c2", queue: "c"))
    #expect(
      try await trial.claim("c", "a", "b", "d", most: 5).map(\.id)
        == [ids[4], ids[0], ids[3], ids[5], ids[1]])
    #expect(try await trial.claim("c", "a", "b", most: 5).map(\.id) == [ids[2]])
  }

  @Test(
    "a claim returns no more bytes of arguments than a response may have, but at least one task",
    arguments: TaskTrial.Kind.allCases)
  func bytes(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let long = Value.string(String(repeating: "x", count: 1_000_000))
    let longest = Value.string(String(repeating: "x", count: 4_000_000))
    _ = try await trial.open(
      trial.task("c1", arguments: longest, opened: -9), trial.task("c2", arguments: long),
      trial.task("c3", arguments: long), trial.task("c4", arguments: long),
      trial.task("c5", arguments: long))
    // They have waited for longer than the longest one.
    #expect(try await trial.claim("mail", most: 9).map(\.task.call) == ["c2", "c3", "c4"])
    #expect(try await trial.claim("mail", most: 9).map(\.task.call) == ["c5"])
    #expect(try await trial.claim("mail", most: 9).map(\.task.call) == ["c1"])
  }

  @Test(
    "once its lease has ended, a task goes to another worker, and the first token is no longer valid",
    arguments: TaskTrial.Kind.allCases)
  func ended(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let id = try await trial.open(trial.task("c1"))[0]
    let first = try #require(try await trial.claim("mail", lease: 0).first)
    let second = try #require(try await trial.claim("mail", by: "two").first)
    #expect(second.id == id && second.attempt == 2 && second.lost == 1)
    #expect(second.worker == "two" && second.token != first.token)
    let token = try #require(first.token)
    for reply in [
      try await trial.tasks { try $0.extend(id, token: token, by: TaskTrial.hour) },
      try await trial.tasks { try $0.release(id, token: token, after: 0) },
      try await trial.tasks { try $0.answer(id, token: token, with: .answer(1)) },
    ] { #expect(reply.name == "leaseLost" && reply.row?.worker == "two") }
    #expect(try await trial.row(id) == second)
  }

  @Test(
    "a task is dead once too many leases have ended without an answer",
    arguments: TaskTrial.Kind.allCases)
  func lostTooOften(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let id = try await trial.open(trial.task("c1"))[0]
    var token: String?
    for attempt in 1...3 {
      let claimed = try await trial.claim("mail", lease: 0, attempts: 3)
      #expect(claimed.map(\.attempt) == [attempt] && claimed.map(\.lost) == [attempt - 1])
      token = claimed.first?.token
    }
    for _ in 0..<2 { #expect(try await trial.claim("mail", lease: 0, attempts: 3).isEmpty) }
    let dead = try #require(try await trial.row(id))
    #expect(dead.state == .dead && dead.lost == 3 && dead.free == nil && dead.worker == "one")
    #expect(dead.error == "3 leases have ended without an answer")
    // Nobody else has claimed it, so that the answer of the last worker counts.
    let reply = try await trial.tasks { [token] in
      try $0.answer(id, token: token, with: .answer(1))
    }
    #expect(reply.name == "done" && reply.row?.state == .answered)
  }

  @Test(
    "a claim skips tasks that have run out of leases, and still returns as many as it wants",
    arguments: TaskTrial.Kind.allCases)
  func passes(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1", opened: -9_000_000), trial.task("c2", opened: -8_000_000),
      trial.task("c3", opened: TaskTrial.hour))
    #expect(try await trial.claim("mail", most: 2, lease: -1_000_000_000).count == 2)
    let fresh = try await trial.open(trial.task("c4"), by: "b")
    #expect(try await trial.claim("mail", attempts: 1).map(\.id) == fresh)
    for id in ids.prefix(2) { #expect(try await trial.row(id)?.state == .dead) }
    #expect(try await trial.row(ids[2])?.state == .ready)
  }

  @Test(
    "a task that is performed at most once fails when its lease ends",
    arguments: TaskTrial.Kind.allCases)
  func once(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let ids = try await trial.open(
      trial.task("c1", isOnce: true), trial.task("c2", queue: "other", isOnce: true),
      trial.task("c3", queue: "third", isOnce: true))
    let tokens = try await trial.claim("mail", "other", most: 2, lease: 0).map(\.token)
    #expect(try await trial.claim("third").count == 1)
    #expect(try await trial.claim("mail").isEmpty)
    #expect(try await trial.tasks { try $0.expire() } == 1)
    let outcome = TaskOutcome.failed("mail: its worker did not answer", isFinal: true)
    for id in ids.prefix(2) {
      let row = try #require(try await trial.row(id))
      #expect(row.state == .answered && row.outcome == outcome && row.free == nil)
    }
    // Its worker comes too late: what it has done is kept.
    let reply = try await trial.tasks {
      try $0.answer(ids[0], token: tokens[0], with: .answer(1))
    }
    #expect(reply.name == "unheard")
    #expect(try await trial.row(ids[2])?.state == .leased)
  }

  @Test(
    "a worker can prolong its lease, also after its end if nobody else has claimed the task",
    arguments: TaskTrial.Kind.allCases)
  func extended(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let id = try await trial.open(trial.task("c1"))[0]
    let token = try #require(try await trial.claim("mail", lease: 0).first?.token)
    for _ in 0..<2 {
      let reply = try await trial.tasks { try $0.extend(id, token: token, by: TaskTrial.hour) }
      #expect(reply.name == "done" && reply.row?.state == .leased)
      #expect(reply.row?.free.map { $0 >= trial.now + TaskTrial.hour } == true)
    }
    #expect(try await trial.claim("mail").isEmpty)
    let row = try #require(try await trial.row(id))
    #expect(row.attempt == 1 && row.lost == 0 && row.token == token)
    let wrong = try await trial.tasks { try $0.extend(id, token: "x", by: 1) }
    let unknown = try await trial.tasks { try $0.extend(id + 9, token: token, by: 1) }
    #expect(wrong.name == "leaseLost" && unknown.name == "unknown")
    #expect(await trial.append(.tasks(2, closes: [.cancelled("c1")]), to: "a") == nil)
    let closed = try await trial.tasks { try $0.extend(id, token: token, by: 1) }
    #expect(closed.name == "closed")
    #expect(try await trial.row(id)?.state == .cancelled)
  }

  @Test(
    "a released task is free after the delay that its worker names, and no lease counts as lost",
    arguments: TaskTrial.Kind.allCases)
  func released(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let id = try await trial.open(trial.task("c1"))[0]
    let first = try #require(try await trial.claim("mail").first?.token)
    let later = try await trial.tasks {
      try $0.release(id, token: first, after: TaskTrial.hour)
    }
    let row = try #require(later.row)
    #expect(later.name == "done" && row.state == .ready && row.token == nil && row.lost == 0)
    #expect(row.free.map { $0 >= trial.now + TaskTrial.hour } == true)
    #expect(try await trial.row(id) == row)
    #expect(try await trial.claim("mail").isEmpty)
    for reply in [
      try await trial.tasks { try $0.extend(id, token: first, by: 1) },
      try await trial.tasks { try $0.answer(id, token: first, with: .answer(1)) },
    ] { #expect(reply.name == "leaseLost") }
    #expect(await trial.append(.tasks(2, opens: [trial.task("c2")]), to: "a") == nil)
    let second = try #require(try await trial.claim("mail").first)
    let token = try #require(second.token)
    _ = try await trial.tasks { try $0.release(second.id, token: token, after: 0) }
    let again = try #require(try await trial.claim("mail", attempts: 1).first)
    #expect(again.id == second.id && again.attempt == 2 && again.lost == 0)
  }

  @Test(
    "workers that claim at the same time get different tasks",
    arguments: TaskTrial.Kind.allCases)
  func atOnce(kind: TaskTrial.Kind) async throws {
    let trial = try await TaskTrial(kind)
    let opened = (0..<60).map { trial.task("c\($0)") }
    #expect(await trial.append(.tasks(1, opens: opened), to: "a") == nil)
    let claimed = try await withThrowingTaskGroup(of: [Int].self) { group in
      for worker in 0..<4 {
        group.addTask {
          var claimed: [Int] = []
          // One may be passed by while another worker has its row.
          for _ in 0..<100 where claimed.count < 15 {
            claimed += try await trial.claim("mail", most: 7, by: "w\(worker)").map(\.id)
          }
          return claimed
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let rest = try await trial.claim("mail", most: 60).map(\.id)
    #expect((claimed + rest).count == 60 && Set(claimed + rest).count == 60)
  }
}
