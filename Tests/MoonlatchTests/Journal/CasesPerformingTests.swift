import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Requests within the process at its end, after a crash, and on several nodes.
@Suite(.timeLimit(.minutes(5))) struct CasesPerformingTests {
  private static let flow = TaskHost.flow("note(self:job(1))")

  @Test("closing gives unfinished requests back, and the next process makes them at once")
  func givesBack() async throws {
    let (journal, provider) = (MemoryJournal(), TaskProvider())
    let first = try await TaskCases(Self.flow, in: journal, tasks: ["job": provider.capability()])
    try await first.start()
    let request = await provider.request(0)
    first.tasks.timeToFinish = .zero
    try await first.cases.close()
    #expect(provider.cancelled == 1)
    let row = try #require(
      try journal.readingTasks { (rows) throws(JournalError) in try rows.list(TaskQuery()) }.first)
    #expect(row.state == .ready && row.attempt == 1 && row.lost == 0 && row.token == nil)
    let second = try await TaskCases(
      Self.flow, in: journal, wall: first.wall, tasks: ["job": provider.capability()])
    let again = await provider.request(1)
    #expect(again.key == request.key && again.performed.attempt == 2)
    again.answer("A")
    try await second.until(["A"])
  }

  @Test("closing waits for requests, and the next process delivers their answers")
  func waits() async throws {
    let (journal, provider) = (MemoryJournal(), TaskProvider())
    let first = try await TaskCases(Self.flow, in: journal, tasks: ["job": provider.capability()])
    try await first.start()
    let request = await provider.request(0)
    let closing = Task { try await first.cases.close() }
    while !first.cases.isClosed { await Task.yield() }
    request.answer("A")
    try await closing.value
    #expect(provider.cancelled == 0)
    let second = try await TaskCases(
      Self.flow, in: journal, wall: first.wall, tasks: ["job": provider.capability()])
    try await second.until(["A"])
    #expect(provider.count == 1)
  }

  @Test("a performer that heeds no cancelling does not hold the end up, and its task is given back")
  func heedless() async throws {
    let (journal, provider) = (MemoryJournal(), TaskProvider(heedsCancelling: false))
    let cases = try await TaskCases(Self.flow, in: journal, tasks: ["job": provider.capability()])
    try await cases.start()
    let request = await provider.request(0)
    cases.tasks.timeToFinish = .zero
    try await cases.cases.close()
    request.answer("A")
    let row = try #require(
      try journal.readingTasks { (rows) throws(JournalError) in try rows.list(TaskQuery()) }.first)
    #expect(row.state == .ready && row.outcome == nil)
  }

  @Test("a plain effect gets the answer that comes while the end waits for it")
  func drains() async throws {
    let (journal, provider) = (MemoryJournal(), TaskProvider())
    let cases = try await TaskCases(
      TaskHost.flow("note(self:job(1))", isDurable: false), in: journal,
      tasks: ["job": provider.capability()])
    try await cases.start()
    let request = await provider.request(0)
    let closing = Task { try await cases.cases.close(draining: .seconds(30)) }
    while !cases.cases.isClosed { await Task.yield() }
    request.answer("A")
    try await closing.value
    let second = try await TaskCases(
      Self.flow, in: journal, wall: cases.wall, tasks: ["job": provider.capability()])
    #expect(try await second.log() == ["A"])
  }

  @Test("a request that a crash has cut off is made again at once, under the same call")
  func crash() async throws {
    let (journal, provider) = (MemoryJournal(), TaskProvider())
    let first = try await TaskCases(Self.flow, in: journal, tasks: ["job": provider.capability()])
    try await first.start()
    let request = await provider.request(0)
    let second = try await TaskCases(
      Self.flow, in: journal.restarted(), wall: first.wall, tasks: ["job": provider.capability()])
    let again = await provider.request(1)
    #expect(again.key == request.key && again.performed.attempt == 2)
    let row = try #require(try await second.tasks.list(TaskQuery()).first)
    #expect(row.lost == 1 && row.state == .leased)
    again.answer("A")
    try await second.until(["A"])
    #expect(second.reports.all == [])
  }

  @Test("a request that every process dies of is dead in the end")
  func deadly() async throws {
    let (provider, wall) = (TaskProvider(), TaskCases.Wall())
    var journal = MemoryJournal()
    let tasks = ["job": provider.capability(attempts: 2)]
    let first = try await TaskCases(Self.flow, in: journal, wall: wall, tasks: tasks)
    try await first.start()
    _ = await provider.request(0)
    journal = journal.restarted()
    let second = try await TaskCases(Self.flow, in: journal, wall: wall, tasks: tasks)
    _ = await provider.request(1)
    let third = try await TaskCases(Self.flow, in: journal.restarted(), wall: wall, tasks: tasks)
    try await third.untilStates([.dead])
    #expect(provider.count == 2)
    withExtendedLifetime((first, second)) {}
  }

  @Test("a capability that is provided later performs the tasks that waited for it")
  func providedLater() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.flow, tasks: ["job": .missing("job")])
    try await cases.start()
    #expect(try await cases.states() == [.dead])
    try await cases.tasks.use(["root.job": provider.capability()])
    await provider.request(0).answer("A")
    try await cases.until(["A"])
  }

  // MARK: Several nodes

  @Test("a node makes the request of another whose lease has ended, and its answer alone is taken")
  func nodes() async throws {
    let wall = TaskCases.Wall()
    let journal = SharedMemoryJournal(shards: 1) { wall.now }
    let providers = [TaskProvider(heedsCancelling: false), TaskProvider()]
    var nodes: [TaskCases] = []
    for (number, provider) in providers.enumerated() {
      var options = NodeOptions()
      options.name = "n\(number)"
      nodes.append(
        try await TaskCases(
          Self.flow, in: journal, wall: wall, node: options, tasks: ["job": provider.capability()]))
    }
    try await nodes[0].start()
    let request = await providers[0].request(0)
    #expect(try await nodes[0].tasks.list(TaskQuery()).map(\.worker) == ["n0"])
    wall.move(34)
    await nodes[1].cases.lookForAnswers()
    #expect(try await nodes[0].tasks.list(TaskQuery()).map(\.worker) == ["n0"])
    wall.move(1)
    await nodes[1].cases.lookForAnswers()
    let again = await providers[1].request(0)
    #expect(again.key == request.key && again.performed.attempt == 2)
    request.answer("late")
    await nodes[0].untilIdle()
    #expect(try await nodes[0].states() == [.leased])
    again.answer("A")
    await nodes[1].untilIdle()
    await nodes[1].cases.renewLeases()
    for node in nodes { await node.cases.lookForAnswers() }
    #expect(try await nodes[1].log() == ["A"])
  }

  @Test("a node whose own lease has ended goes on, and makes no second request")
  func ownLease() async throws {
    let provider = TaskProvider()
    let cases = try await TaskCases(Self.flow, tasks: ["job": provider.capability()])
    try await cases.start()
    let request = await provider.request(0)
    let token = cases.tasks.performances[request.key]?.token
    cases.wall.move(60)
    await cases.cases.lookForAnswers()
    while cases.tasks.performances[request.key]?.token == token { await Task.yield() }
    #expect(try await cases.tasks.list(TaskQuery()).first?.attempt == 2)
    request.answer("A")
    try await cases.until(["A"])
    #expect(provider.count == 1)
  }
}
