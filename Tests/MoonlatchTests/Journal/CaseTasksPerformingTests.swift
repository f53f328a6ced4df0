import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Tasks of capabilities that have a performer within the process.
@Suite(.timeLimit(.minutes(5))) struct CaseTasksPerformingTests {
  private static let flow = TaskHost.flow("note(self:job(1))")
  private static let plain = TaskHost.flow("note(self:job(1))", isDurable: false)

  // MARK: Outcomes

  @Test("a task is performed without a claim, with a lease that it was born with")
  func answers() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.flow, tasks: ["job": provider.capability()])
    try await cases.start()
    let request = await provider.request(0)
    let row = try #require(try await cases.tasks.list(TaskQuery()).first)
    #expect(row.state == .leased && row.attempt == 1 && row.worker == "server")
    #expect(row.token != nil && row.free == cases.wall.now + 35_000_000)
    #expect(request.performed.task == row.task && request.performed.caseID == "a")
    #expect(request.performed.attempt == 1)
    request.answer("A")
    try await cases.until(["A"])
    #expect(try await cases.states() == [])
    #expect(cases.tasks.answerCounts == ["root.job": ["answer": 1]])
    await cases.untilIdle()
    #expect(provider.count == 1 && cases.reports.all == [])
  }

  @Test("a failure is given to the flow, whose retry opens a new task of the same call")
  func failures() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(
      TaskHost.flow("retry({ times = 3, wait = 0 }, function() note(self:job(1)) end)"),
      tasks: ["job": provider.capability()])
    try await cases.start()
    let first = await provider.request(0)
    first.end(.answered(.failed("job: 503")))
    let second = await provider.request(1)
    #expect(second.performed.task.call == first.performed.task.call)
    #expect(second.performed.task.tryNumber == 2 && second.performed.attempt == 1)
    second.end(.answered(.failed("job: 402 no", isFinal: true)))
    try await cases.until(["failed job: 402 no"])
    #expect(cases.tasks.answerCounts == ["root.job": ["retryable": 1, "final": 1]])
    #expect(provider.count == 2)
  }

  @Test("a task that nobody can perform is dead, and is performed again when an operator says so")
  func dead() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.flow, tasks: ["job": provider.capability()])
    try await cases.start()
    await provider.request(0).end(.dead("401 from the provider"))
    try await cases.untilStates([.dead])
    let row = try #require(try await cases.tasks.list(TaskQuery()).first)
    #expect(row.error == "401 from the provider")
    #expect(cases.tasks.answerCounts == ["root.job": ["dead": 1]])
    await cases.untilIdle()
    _ = try await cases.tasks.retry(row.id)
    let again = await provider.request(1)
    #expect(again.key == row.task.key && again.performed.attempt == 2)
    again.answer("A")
    try await cases.until(["A"])
  }

  @Test("an accepted request waits without a lease for the answer that comes from outside")
  func accepted() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(
      Self.flow, tasks: ["job": provider.capability(timeout: 3_600_000_000)])
    for id in ["a", "b"] { try await cases.start(id) }
    for number in 0..<2 { await provider.request(number).end(.accepted) }
    for id in ["a", "b"] { try await cases.untilStates([.called], id) }
    cases.wall.move(3_599)
    await cases.cases.lookForAnswers()
    let row = try #require(try await cases.tasks.list(TaskQuery(caseID: "a")).first)
    _ = try await cases.tasks.answer(call: row.task.call, with: .answer("A"))
    try await cases.until(["A"])
    cases.wall.move(1)
    await cases.cases.lookForAnswers()
    try await cases.until(["failed job: no answer came in time"], "b")
    #expect(provider.count == 2)
  }

  @Test("an answer from outside may come before the request has ended")
  func earlyAnswer() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.flow, tasks: ["job": provider.capability()])
    try await cases.start()
    let request = await provider.request(0)
    _ = try await cases.tasks.answer(call: request.key.call.text, with: .answer("A"))
    try await cases.until(["A"])
    request.end(.accepted)
    await cases.untilIdle()
    #expect(try await cases.log() == ["A"])
    #expect(try await cases.states() == [])
  }

  @Test("an outcome that the journal does not take is stored as soon as it can be")
  func failingJournal() async throws {
    let (journal, provider) = (MemoryJournal(), TaskProvider())
    let cases = try await TaskCases(Self.flow, in: journal, tasks: ["job": provider.capability()])
    try await cases.start()
    let request = await provider.request(0)
    journal.failTasks(with: JournalError(.failed, "the disk is full"))
    request.answer("A")
    while cases.reports.all.isEmpty { await Task.yield() }
    #expect(
      cases.reports.all.first?.hasSuffix("could not be stored yet: the disk is full") == true)
    journal.failTasks(with: nil)
    try await cases.until(["A"])
    #expect(provider.count == 1 && cases.reports.all.count == 1)
  }

  // MARK: Slots

  @Test("a capability has as many requests at once as it says, and the others follow")
  func atOnce() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.flow, tasks: ["job": provider.capability(atOnce: 2)])
    for number in 0..<6 { try await cases.start("c\(number)") }
    _ = await provider.request(1)
    let states = try await cases.tasks.list(TaskQuery()).map(\.state)
    #expect(states == [.leased, .leased, .ready, .ready, .ready, .ready])
    for number in 0..<6 { await provider.request(number).answer("A") }
    for number in 0..<6 { try await cases.until(["A"], "c\(number)") }
    await cases.untilIdle()
    #expect(provider.count == 6 && provider.mostAtOnce == 2)
  }

  @Test("an entry that could not be stored takes no slot, and nothing is requested")
  func failedEntry() async throws {
    let (journal, provider) = (MemoryJournal(), TaskProvider())
    let cases = try await TaskCases(
      Self.flow, in: journal, tasks: ["job": provider.capability(atOnce: 1)])
    try await cases.cases.create("a")
    journal.fail(append: journal.appends + 1, .before(JournalError(.failed, "no")))
    await #expect(throws: JournalError.self) { try await cases.cases["a"].dispatch("go") }
    #expect(cases.tasks.performances.count == 0 && provider.count == 0)
    try await cases.cases["a"].dispatch("go")
    await provider.request(0).answer("A")
    try await cases.until(["A"])
  }

  // MARK: Cancelling

  private static let inState = TaskHost.flow(
    "",
    more: """
      action.start {} action.stop {}
      machine.work { initial = "idle", idle = { start = "busy" }, busy = { stop = "idle",
        effect = { durable = true, run = function(self) note(self:job(1)) end } } }
      """)

  @Test("a request is cancelled with its task: when the state is left, and when the case ends")
  func cancels() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.inState, tasks: ["job": provider.capability()])
    try await cases.cases.create("a")
    try await cases.cases["a"].dispatch("start")
    _ = await provider.request(0)
    try await cases.cases["a"].dispatch("stop")
    while provider.cancelled < 1 { await Task.yield() }
    try await cases.cases["a"].dispatch("start")
    _ = await provider.request(1)
    #expect(provider.cancelled == 1)
    try await cases.cases["a"].end()
    while provider.cancelled < 2 { await Task.yield() }
    await cases.untilIdle()
    let rows = try await cases.tasks.list(TaskQuery(state: .cancelled))
    #expect(rows.count == 2 && rows.allSatisfy { !$0.isUnheard })
    #expect(provider.count == 2)
  }

  @Test("an answer to a cancelled request is kept as unheard, and reported")
  func unheard() async throws {
    let provider = TaskProvider(heedsCancelling: false)
    let cases = try await TaskCases(Self.inState, tasks: ["job": provider.capability()])
    try await cases.cases.create("a")
    try await cases.cases["a"].dispatch("start")
    let request = await provider.request(0)
    try await cases.cases["a"].dispatch("stop")
    while provider.cancelled < 1 { await Task.yield() }
    request.answer("A")
    await cases.untilIdle()
    let row = try #require(try await cases.tasks.list(TaskQuery(state: .dead)).first)
    #expect(row.isUnheard && row.outcome == .answer("A"))
    let report =
      "a: root.job answered when nothing waited for it any more: task \(row.id) is kept as unheard"
    #expect(cases.reports.all.contains(report), "\(cases.reports.all)")
  }

  // MARK: Performed at most once

  @Test("a task of a plain effect is not performed again when its lease has ended")
  func once() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.plain, tasks: ["job": provider.capability()])
    try await cases.start()
    let request = await provider.request(0)
    cases.wall.move(34)
    await cases.cases.lookForAnswers()
    #expect(try await cases.log() == [])
    cases.wall.move(1)
    await cases.cases.lookForAnswers()
    try await cases.until(["failed job: its worker did not answer"])
    request.answer("A")
    await cases.untilIdle()
    #expect(try await cases.log().count == 1)
    #expect(provider.count == 1)
  }

  @Test("a task of a plain effect that nobody can perform fails")
  func deadOnce() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.plain, tasks: ["job": provider.capability()])
    try await cases.start()
    await provider.request(0).end(.dead("401 from the provider"))
    try await cases.until(["failed job: 401 from the provider"])
    #expect(cases.tasks.answerCounts == ["root.job": ["final": 1]])
    #expect(try await cases.states() == [])
  }
}
