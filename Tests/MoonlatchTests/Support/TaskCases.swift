import LuaRuntime
import Platform

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Cases whose effects open tasks, with a wall clock that is set by hand.
final class TaskCases: Sendable {
  /// A wall clock, in microseconds since 1970.
  final class Wall: Sendable {
    private let time = Mutex(1_700_000_000_000_000)
    var now: Int { time.withLock { $0 } }
    func move(_ seconds: Int) { time.withLock { $0 += seconds * 1_000_000 } }
  }

  let cases: Cases
  let wall: Wall
  let reports: Trial.Lines
  var tasks: CaseTasks { cases.tasks }

  init(
    _ flow: String, in journal: any JournalStorage = MemoryJournal(), wall: Wall = Wall(),
    clock: HostClock = .virtual, most: Int = 1_000, node: NodeOptions = NodeOptions(),
    tasks: [String: TaskCapability] = TaskCapability.ofTests
  ) async throws {
    let reports = Trial.Lines()
    (self.wall, self.reports) = (wall, reports)
    var options = HostOptions(clock: clock, report: { reports.add("\($0)") })
    options.wall = { wall.now }
    cases = try await Cases(
      of: LoadedFlow(source: flow, name: "f.lua"), in: journal, options: options,
      maximumActive: most, node: node
    ) { scopes in
      for (name, task) in tasks { scopes.root.provide(name, task) }
    }
  }

  /// Creates a case, and dispatches `go` there.
  func start(_ id: String = "a") async throws {
    try await cases.create(id)
    try await cases[id].dispatch("go")
  }

  /// The notes of a case's effects, and what they failed with.
  func log(_ id: String = "a") async throws -> [String] {
    try await cases[id].state()["log"]?.listValue?.compactMap(\.stringValue) ?? []
  }

  /// Gives free tasks to a worker, without waiting for any.
  func claim(
    _ queues: String..., most: Int = 1, by worker: String = "one"
  ) async throws -> [StoredTask] {
    try await tasks.claim(from: queues, most: most, by: worker, waiting: .zero) ?? []
  }

  /// Starts a claim, and returns once it waits.
  func wait(
    for queues: String..., most: Int = 1, by worker: String = "one"
  ) async -> Task<[StoredTask]?, any Error> {
    let before = tasks.waitingClaims
    let claim = Task { [tasks] in
      try await tasks.claim(from: queues, most: most, by: worker, waiting: .seconds(600))
    }
    while tasks.waitingClaims == before { await Task.yield() }
    return claim
  }

  /// Answers a task, and returns once its case has got the answer.
  @discardableResult
  func answer(_ row: StoredTask, _ outcome: TaskOutcome) async throws -> TaskReply {
    let reply = try await tasks.answer(row.id, token: row.token, with: outcome)
    await cases.lookForAnswers()
    return reply
  }

  /// The states of the tasks of a case that a list shows.
  func states(_ id: String = "a") async throws -> [StoredTask.State] {
    try await tasks.list(TaskQuery(caseID: id)).map(\.state)
  }
}
