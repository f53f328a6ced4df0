import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Workers that claim the tasks of cases, and wait for them.
@Suite(.timeLimit(.minutes(5))) struct CaseTasksTests {
  private static let flow = TaskHost.flow(
    "note(self:job(1))",
    more: """
      action.other {}
      effect.other = { durable = true, run = function(self) note(self:other(2)) end }
      """)

  @Test("a worker claims a task and answers it, and the answer is counted by its class")
  func answers() async throws {
    let cases = try await TaskCases(Self.flow)
    try await cases.start()
    #expect(try await cases.claim("others").isEmpty)
    let row = try #require(try await cases.claim("jobs").first)
    #expect(row.caseID == "a" && row.worker == "one" && row.attempt == 1)
    #expect(row.free == cases.wall.now + 60_000_000)
    #expect(try await cases.claim("jobs").isEmpty)
    #expect(try await cases.log() == [])
    for _ in 0..<2 {
      guard case .done = try await cases.answer(row, .answer("A")) else {
        Issue.record("the answer was not taken")
        return
      }
    }
    #expect(try await cases.log() == ["A"])
    for (id, outcome) in [
      ("b", TaskOutcome.failed("job: 402", isFinal: true)), ("c", .failed("job: 503")),
    ] {
      try await cases.start(id)
      let row = try #require(try await cases.claim("jobs").first)
      try await cases.answer(row, outcome)
    }
    // An answer that is given again counts once.
    #expect(
      cases.tasks.answerCounts == ["root.job": ["answer": 1, "final": 1, "retryable": 1]])
  }

  @Test("a claim that waits is given the task that is opened next")
  func waits() async throws {
    let cases = try await TaskCases(Self.flow)
    let claim = await cases.wait(for: "others", "jobs")
    try await cases.start()
    #expect(try await claim.value?.map(\.task.queue) == ["jobs"])
    #expect(cases.tasks.waitingClaims == 0)
  }

  @Test("each task that is opened wakes one claim, the one that has waited for longest")
  func inTurn() async throws {
    let cases = try await TaskCases(Self.flow)
    let first = await cases.wait(for: "jobs", by: "first")
    let second = await cases.wait(for: "jobs", by: "second")
    let other = await cases.wait(for: "others", by: "other")
    try await cases.start("a")
    #expect(try await first.value?.map(\.caseID) == ["a"])
    #expect(cases.tasks.waitingClaims == 2)
    try await cases.start("b")
    #expect(try await second.value?.map(\.caseID) == ["b"])
    try await cases.cases["b"].dispatch("other")
    #expect(try await other.value?.map(\.worker) == ["other"])
  }

  @Test("a claim returns nothing once its time has passed")
  func timeout() async throws {
    let cases = try await TaskCases(Self.flow)
    let claimed = try await cases.tasks.claim(
      from: ["jobs"], most: 1, by: "one", waiting: .milliseconds(5))
    #expect(claimed?.isEmpty == true && cases.tasks.waitingClaims == 0)
  }

  @Test("a claim that is cancelled is given nothing, and the next one gets the task")
  func cancelled() async throws {
    let cases = try await TaskCases(Self.flow)
    let gone = await cases.wait(for: "jobs")
    gone.cancel()
    await #expect(throws: CancellationError.self) { try await gone.value }
    #expect(cases.tasks.waitingClaims == 0)
    try await cases.start()
    #expect(try await cases.states() == [.ready])
    #expect(try await cases.claim("jobs").count == 1)
  }

  @Test("closing the cases ends all claims that wait, and later ones do not wait")
  func closing() async throws {
    let cases = try await TaskCases(Self.flow)
    let claims = [await cases.wait(for: "jobs"), await cases.wait(for: "others")]
    try await cases.cases.close()
    for claim in claims { #expect(try await claim.value?.isEmpty == true) }
    let late = try await cases.tasks.claim(
      from: ["jobs"], most: 1, by: "one", waiting: .seconds(600))
    #expect(late?.isEmpty == true)
  }

  @Test("the queues of claims are served round robin, starting after the last one served")
  func fairness() async throws {
    let cases = try await TaskCases(Self.flow)
    for id in ["a", "b"] {
      try await cases.start(id)
      try await cases.cases[id].dispatch("other")
    }
    var served: [String] = []
    for _ in 0..<4 { served += try await cases.claim("jobs", "others").map(\.task.queue) }
    #expect(served == ["jobs", "others", "jobs", "others"])
  }

  @Test("a task that is given back, or whose lease has ended, wakes a claim")
  func freed() async throws {
    let cases = try await TaskCases(Self.flow)
    try await cases.start()
    let row = try #require(try await cases.claim("jobs").first)
    let token = try #require(row.token)
    let second = await cases.wait(for: "jobs", by: "second")
    _ = try await cases.tasks.release(row.id, token: token, after: 0)
    let again = try #require(try await second.value?.first)
    #expect(again.id == row.id && again.attempt == 2 && again.lost == 0)
    let third = await cases.wait(for: "jobs", by: "third")
    await cases.cases.lookForAnswers()
    #expect(cases.tasks.waitingClaims == 1)
    cases.wall.move(60)
    await cases.cases.lookForAnswers()
    let last = try #require(try await third.value?.first)
    #expect(last.id == row.id && last.attempt == 3 && last.lost == 1 && last.worker == "third")
  }

  @Test("a dead task that is tried again wakes a claim")
  func retried() async throws {
    let cases = try await TaskCases(
      Self.flow, tasks: ["job": .worker("jobs", attempts: 1), "other": .worker("others")])
    for id in ["a", "b"] { try await cases.start(id) }
    for _ in 0..<2 {
      _ = try await cases.claim("jobs", most: 2)
      cases.wall.move(60)
    }
    #expect(try await cases.tasks.list(TaskQuery(state: .dead)).count == 2)
    let first = await cases.wait(for: "jobs")
    let id = try #require(try await cases.tasks.list(TaskQuery(state: .dead)).first).id
    _ = try await cases.tasks.retry(id)
    #expect(try await first.value?.map(\.id) == [id])
    let second = await cases.wait(for: "jobs")
    #expect(try await cases.tasks.retry(TaskQuery()) == 1)
    #expect(try await second.value?.map(\.caseID) == ["b"])
  }

  @Test("tasks move to the queues of replaced capabilities, and are claimed from there")
  func follows() async throws {
    let cases = try await TaskCases(Self.flow)
    try await cases.start()
    #expect(cases.tasks.queues == ["jobs", "others"])
    try await cases.tasks.use(["root.job": .worker("elsewhere")])
    #expect(cases.tasks.queues == ["elsewhere"])
    #expect(try await cases.claim("jobs").isEmpty)
    let row = try #require(try await cases.claim("elsewhere").first)
    try await cases.answer(row, .answer("A"))
    #expect(try await cases.log() == ["A"])
    // The case was activated before, and goes on with the capabilities that it had then.
    try await cases.cases["a"].dispatch("other")
    try await cases.tasks.use([:])
    #expect(try await cases.states() == [.dead])
  }

  @Test("concurrent claims share transactions, and each gets a different task")
  func atOnce() async throws {
    let cases = try await TaskCases(Self.flow)
    for number in 0..<40 { try await cases.start("c\(number)") }
    let claimed = try await withThrowingTaskGroup(of: [Int].self) { group in
      for number in 0..<60 {
        group.addTask { try await cases.claim("jobs", by: "w\(number)").map(\.id) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(claimed.count == 40 && Set(claimed).count == 40)
  }

  @Test("a lease is prolonged by the time that the capability names, or by another")
  func leases() async throws {
    let cases = try await TaskCases(
      Self.flow,
      tasks: ["job": .worker("jobs", lease: 5_000_000), "other": .worker("others")])
    try await cases.start()
    let row = try #require(try await cases.claim("jobs").first)
    #expect(row.free == cases.wall.now + 5_000_000)
    cases.wall.move(3)
    let token = try #require(row.token)
    for (time, wanted) in [(nil, 5_000_000), (7_000_000, 7_000_000)] as [(Int?, Int)] {
      guard case .done(let row) = try await cases.tasks.extend(row.id, token: token, by: time)
      else {
        Issue.record("the lease was not prolonged")
        return
      }
      #expect(row.free == cases.wall.now + wanted)
    }
  }
}
