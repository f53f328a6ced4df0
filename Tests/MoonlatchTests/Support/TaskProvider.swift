import LuaRuntime
import Platform
import StateBlocks

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// A performer within the process, whose requests wait until a test ends them.
final class TaskProvider: Sendable {
  /// A request that is under way.
  struct Request: Sendable {
    let performed: PerformedTask
    fileprivate let outcome = Promise<PerformedOutcome>()

    var key: OpenTask.Key { performed.task.key }

    func end(_ outcome: PerformedOutcome) { self.outcome.fulfill(outcome) }

    func answer(_ value: Value) { end(.answered(.answer(value))) }
  }

  private struct State {
    var requests: [Request] = []
    var cancelled = 0
    var current = 0
    var mostAtOnce = 0
  }

  private let state = Mutex(State())
  private let heedsCancelling: Bool

  /// Makes a performer; one that heeds no cancelling ends when the test says so.
  init(heedsCancelling: Bool = true) { self.heedsCancelling = heedsCancelling }

  /// The number of requests so far.
  var count: Int { state.withLock { $0.requests.count } }
  /// The number of cancelled requests.
  var cancelled: Int { state.withLock { $0.cancelled } }
  /// The greatest number of requests that were under way at once.
  var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

  /// Returns a request by its number, from 0 on, once it is there.
  func request(_ number: Int) async -> Request {
    while true {
      let found = state.withLock { $0.requests.count > number ? $0.requests[number] : nil }
      if let found { return found }
      await Task.yield()
    }
  }

  /// Returns a capability that this performs, with a lease of 35 s.
  func capability(
    _ name: String = "job", atOnce: Int = 8, timeout: Int? = nil, attempts: Int = 20
  ) -> TaskCapability {
    TaskCapability(
      kind: .http, queue: "#root.\(name)", timeout: timeout, attempts: attempts,
      performer: LocalPerformer(atOnce: atOnce, timeout: 30_000_000) { [self] in
        await perform($0)
      },
      arguments: { .list($0) })
  }

  private func perform(_ task: PerformedTask) async -> PerformedOutcome {
    let request = Request(performed: task)
    state.withLock { state in
      state.requests.append(request)
      state.current += 1
      state.mostAtOnce = max(state.mostAtOnce, state.current)
    }
    defer { state.withLock { $0.current -= 1 } }
    return await withTaskCancellationHandler {
      await request.outcome.value
    } onCancel: {
      state.withLock { $0.cancelled += 1 }
      if heedsCancelling { request.end(.interrupted) }
    }
  }
}

extension TaskCases {
  /// Suspends until the notes of a case are these.
  func until(_ wanted: [String], _ id: String = "a") async throws {
    while try await log(id) != wanted { await Task.yield() }
  }

  /// Suspends until the tasks of a case that a list shows have these states.
  func untilStates(_ wanted: [StoredTask.State], _ id: String = "a") async throws {
    while try await states(id) != wanted { await Task.yield() }
  }

  /// Suspends until this process performs nothing.
  func untilIdle() async {
    while tasks.performances.count > 0 { await Task.yield() }
  }
}
