import Dispatch
import FlowKernel
import Platform
import StateBlocks

/// Calls of a journal, which may block, on threads kept for them.
///
/// A caller is suspended until the journal has answered, and gets an error once the time limit has passed: a
/// database that hangs blocks these threads and no others. There is one object for each journal, however many
/// hosts and cases use it, so that all of them share the limit on concurrent calls.
package final class JournalCalls: Sendable {
  /// The journal.
  package let journal: any JournalStorage

  /// A call that waits for its answer.
  private struct Pending {
    let deadline: ContinuousClock.Instant
    let expire: @Sendable () -> Void
  }

  private struct State {
    var pending: [Int: Pending] = [:]
    var last = 0
    var timer: (any DispatchSourceTimer)?
    /// The writes to each case that wait behind the current one.
    var writes: [ExactText: [@Sendable () -> Void]] = [:]
  }

  private let state = Mutex(State())
  private let readers = WorkerThreads(limit: JournalCalls.bound)
  private let writers = WorkerThreads(limit: JournalCalls.bound)
  private let timeLimit: Duration

  /// The greatest number of reads, and of writes, that run at once.
  private static let bound = 16

  private struct Known: Sendable { weak let calls: JournalCalls? }
  private static let all = Mutex<[ObjectIdentifier: Known]>([:])

  /// Returns the object of a journal, which is made at first use.
  package static func of(_ journal: any JournalStorage) -> JournalCalls {
    let name = ObjectIdentifier(journal)
    return all.withLock { all in
      if let known = all[name]?.calls { return known }
      let new = JournalCalls(journal)
      all[name] = Known(calls: new)
      return new
    }
  }

  /// Returns the object of a journal that a client has given.
  ///
  /// - Throws: `JournalError` if it is none of Moonlatch's journals.
  package static func opening(_ journal: any Journal) throws(JournalError) -> JournalCalls {
    guard let storage = journal as? any JournalStorage else {
      throw JournalError(
        .failed,
        "\(type(of: journal)) is none of Moonlatch's journals: use MemoryJournal, SQLiteJournal or PostgresJournal."
      )
    }
    return of(storage)
  }

  package init(_ journal: any JournalStorage, timeLimit: Duration = .seconds(30)) {
    (self.journal, self.timeLimit) = (journal, timeLimit)
  }

  deinit {
    let name = ObjectIdentifier(journal)
    Self.all.withLock { if $0[name]?.calls == nil { $0[name] = nil } }
    state.withLock { $0.timer?.cancel() }
  }

  // MARK: Reading

  /// Calls the journal on a thread kept for that, and suspends until it has answered.
  ///
  /// - Throws: `JournalError`: the error of `body`, or `failed` once the time limit has passed.
  package func call<Answer: Sendable>(
    _ body: @escaping @Sendable (any JournalStorage) async throws -> Answer
  ) async throws(JournalError) -> Answer {
    let answer = Promise<Result<Answer, JournalError>>()
    let number = register { [timeLimit] in
      answer.fulfill(.failure(JournalCalls.late(timeLimit)))
    }
    Task.detached(executorPreference: readers) { [journal] in
      let result = await JournalCalls.result { try await body(journal) }
      self.end(number)
      answer.fulfill(result)
    }
    return try await answer.value.get()
  }

  /// Calls the journal on the calling thread, and blocks it until the journal has answered.
  package func wait<Answer: Sendable>(
    _ body: @escaping @Sendable (any JournalStorage) async throws -> Answer
  ) throws(JournalError) -> Answer {
    try CallerThread.run { [journal] in await JournalCalls.result { try await body(journal) } }
      .get()
  }

  private static func result<Answer>(
    _ body: () async throws -> Answer
  ) async -> Result<Answer, JournalError> {
    do {
      return .success(try await body())
    } catch let error as JournalError {
      return .failure(error)
    } catch {
      return .failure(JournalError(.failed, "\(error)"))
    }
  }

  private static func late(_ limit: Duration) -> JournalError {
    JournalError(
      .failed,
      "the journal has not answered within \(limit): check if its disk or server hangs, and try again."
    )
  }

  private func register(_ expire: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.last += 1
      state.pending[state.last] = Pending(
        deadline: ContinuousClock.now + timeLimit, expire: expire)
      if state.timer == nil { state.timer = makeTimer() }
      return state.last
    }
  }

  private func end(_ number: Int) { state.withLock { $0.pending[number] = nil } }

  /// Makes the one timer for all calls, which stops when it finds none.
  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    let pause = min(EngineTime.microseconds(timeLimit), 1_000_000)
    timer.schedule(
      deadline: .now() + .microseconds(pause), repeating: .microseconds(pause))
    timer.setEventHandler { [weak self] in self?.expire() }
    timer.activate()
    return timer
  }

  private func expire() {
    let now = ContinuousClock.now
    let expired = state.withLock { state -> [Pending] in
      if state.pending.isEmpty {
        state.timer?.cancel()
        state.timer = nil
      }
      let late = state.pending.filter { $0.value.deadline <= now }
      for number in late.keys { state.pending[number] = nil }
      return Array(late.values)
    }
    for call in expired { call.expire() }
  }

  // MARK: Writing

  /// Appends entries to a case as `Journal.append` does, and returns at once even if the journal blocks.
  package func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) {
    write(id) { [journal] in journal.append(entries, to: id, fence: fence, done) }
  }

  /// Stores a snapshot, after the entries that were appended before it.
  package func store(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    write(id) { [journal] in journal.keep(snapshot, of: id, fence: fence) }
  }

  /// Runs a write to a case after the earlier writes to it.
  private func write(_ id: String, _ body: @escaping @Sendable () -> Void) {
    if journal.writesAtOnce { return body() }
    let name = ExactText(id)
    let isFirst = state.withLock { state in
      if state.writes[name] != nil {
        state.writes[name]?.append(body)
        return false
      }
      state.writes[name] = []
      return true
    }
    guard isFirst else { return }
    Task.detached(executorPreference: writers) {
      var next: (@Sendable () -> Void)? = body
      while let write = next {
        write()
        next = self.nextWrite(to: name)
      }
    }
  }

  private func nextWrite(to name: ExactText) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.writes[name]?.isEmpty == false else {
        state.writes[name] = nil
        return nil
      }
      return state.writes[name]?.removeFirst()
    }
  }
}
