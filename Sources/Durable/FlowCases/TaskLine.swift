import FlowHosting
import FlowKernel
import StateBlocks
import Platform

/// The requests for the tasks of a journal, which share transactions: requests that come while one is written wait for
/// the next.
///
/// An error of a request undoes the whole transaction. The others are then performed again without it.
final class TaskLine: Sendable {
  /// A request that waits.
  private struct Request: Sendable {
    let perform: @Sendable (TaskTable) throws(JournalError) -> Void
    /// Returns true if `perform` has thrown an error.
    let hasFailed: @Sendable () -> Bool
    let finish: @Sendable (JournalError?) -> Void
  }

  private struct State {
    var waiting: [Request] = []
    var isWriting = false
  }

  private let calls: JournalCalls
  private let wall: @Sendable () -> Int
  private let state = Mutex(State())
  /// The most requests in one transaction.
  private static let most = 256

  init(_ calls: JournalCalls, wall: @escaping @Sendable () -> Int) {
    (self.calls, self.wall) = (calls, wall)
  }

  /// Runs `body` in a transaction, maybe with others, and returns its result once it is durable.
  ///
  /// `body` may be run several times.
  func perform<Answer: Sendable>(
    _ body: @escaping @Sendable (TaskTable) throws(JournalError) -> Answer
  ) async throws(JournalError) -> Answer {
    let result = Mutex<Result<Answer, JournalError>?>(nil)
    let kept = Kept(result)
    let answer = Promise<Result<Answer, JournalError>>()
    let request = Request(
      perform: { (table) throws(JournalError) in
        do throws(JournalError) {
          let value = try body(table)
          kept.result.withLock { $0 = .success(value) }
        } catch {
          kept.result.withLock { $0 = .failure(error) }
          throw error
        }
      },
      hasFailed: {
        kept.result.withLock { result in
          if case .failure? = result { true } else { false }
        }
      },
      finish: { error in
        let failed = JournalError(.failed, "the journal has not performed the request: try again")
        let known = kept.result.withLock { $0 }
        answer.fulfill(error.map { .failure($0) } ?? known ?? .failure(failed))
      })
    let begins = state.withLock { state in
      state.waiting.append(request)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { Task { await write() } }
    return try await answer.value.get()
  }

  /// A result that is set by another thread.
  private final class Kept<Answer: Sendable>: Sendable {
    let result: Mutex<Result<Answer, JournalError>?>

    init(_ result: consuming Mutex<Result<Answer, JournalError>?>) { self.result = result }
  }

  private func write() async {
    while var requests = next() {
      var failure = await self.failure(of: requests)
      while let error = failure, requests.count > 1,
        let failed = requests.firstIndex(where: { $0.hasFailed() })
      {
        requests.remove(at: failed).finish(error)
        failure = await self.failure(of: requests)
      }
      for request in requests { request.finish(failure) }
    }
  }

  /// Performs requests in one transaction.
  ///
  /// - Returns: the error for which none of them is stored; nil if all are.
  private func failure(of requests: [Request]) async -> JournalError? {
    let now = wall()
    do throws(JournalError) {
      try await calls.call { journal in
        guard let store = journal as? any TaskStore else {
          throw journal is any TaskReading ? TaskLine.readOnly : TaskLine.noTasks
        }
        try await store.withTasks(at: now) { (table) throws(JournalError) in
          for request in requests { try request.perform(table) }
        }
      }
      return nil
    } catch {
      return error
    }
  }

  private func next() -> [Request]? {
    state.withLock { state in
      if state.waiting.isEmpty {
        state.isWriting = false
        return nil
      }
      let taken = Array(state.waiting.prefix(TaskLine.most))
      state.waiting.removeFirst(taken.count)
      return taken
    }
  }

  /// Reads rows.
  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (any TaskRows) throws(JournalError) -> Answer
  ) async throws(JournalError) -> Answer {
    try await calls.call { journal in
      guard let store = journal as? any TaskReading else { throw TaskLine.noTasks }
      return try await store.readingTasks(body)
    }
  }

  /// Tells other nodes that a task of a case was answered.
  func tellOthers(of caseID: String) { (calls.journal as? any TaskStore)?.tellOthers(of: caseID) }

  private static var readOnly: JournalError {
    JournalError(.failed, "the journal is open for reading only")
  }

  private static var noTasks: JournalError {
    JournalError(.failed, "this journal has no table of tasks")
  }
}
