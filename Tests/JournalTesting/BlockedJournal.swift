import Dispatch
import FlowHosting
import FlowKernel
import Platform

/// A journal in which chosen calls block their thread until the test releases them.
package final class BlockedJournal: JournalStorage {
  package enum Call: String, CaseIterable, Sendable {
    case identify, keep, flow, activate, append, snapshot, answer, entries, cases, summary, due,
      nextDue
  }

  private struct State {
    var blocked: (call: Call, id: String?)?
    var waiting = 0
    /// The queue of completions if a task calls them.
    var completions: AsyncStream<@Sendable () -> Void>.Continuation?
    /// True if another writer is to store the next birth first.
    var isOvertaken = false
  }

  package let base = MemoryJournal()
  private let state = Mutex(State())
  private let gate = DispatchSemaphore(value: 0)

  package init() {}

  /// Blocks a call from now on; only for one case if an id is given.
  package func block(_ call: Call, of id: String? = nil) {
    state.withLock { $0.blocked = (call, id) }
  }

  /// Lets another writer store the next birth first, which has the same key.
  package func overtakeBirth() { state.withLock { $0.isOvertaken = true } }

  /// Makes appends complete from a task of Swift's pool, in order.
  package func completeFromTasks() {
    let (completions, adding) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    state.withLock { $0.completions = adding }
    Task {
      for await complete in completions {
        await Task.yield()
        complete()
      }
    }
  }

  /// The number of blocked calls.
  package var waiting: Int { state.withLock(\.waiting) }

  /// Releases all blocked calls, and blocks no more.
  package func release() {
    let count = state.withLock { state in
      state.blocked = nil
      defer { state.waiting = 0 }
      return state.waiting
    }
    for _ in 0..<count { gate.signal() }
  }

  private func pass(_ call: Call, _ id: String? = nil) {
    let isBlocked = state.withLock { state in
      guard let blocked = state.blocked, blocked.call == call,
        blocked.id == nil || blocked.id == id
      else { return false }
      state.waiting += 1
      return true
    }
    if isBlocked { gate.wait() }
  }

  package func identify(as flow: String, adopting: Bool) throws(JournalError) -> JournalIdentity {
    pass(.identify)
    return try base.identify(as: flow, adopting: adopting)
  }

  package func keep(_ flow: JournaledFlow) throws(JournalError) -> Int {
    pass(.keep)
    return try base.keep(flow)
  }

  package func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    pass(.flow)
    return try base.flow(number)
  }

  package func activate(_ id: String) throws(JournalError) -> StoredCase? {
    pass(.activate, id)
    return try base.activate(id)
  }

  package func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) {
    pass(.append, id)
    let isOvertaken = state.withLock { state in
      defer { state.isOvertaken = false }
      return state.isOvertaken
    }
    if isOvertaken, let key = entries.first?.answers.first?.key {
      return base.append(entries, to: id, fence: fence) { error in
        done(error ?? AppendPosition.answered(key, of: id))
      }
    }
    guard let completions = state.withLock(\.completions) else {
      return base.append(entries, to: id, fence: fence, done)
    }
    base.append(entries, to: id, fence: fence) { error in completions.yield { done(error) } }
  }

  package func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    pass(.snapshot, id)
    base.keep(snapshot, of: id, fence: fence)
  }

  package func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    pass(.answer, id)
    return try base.answer(to: key, of: id)
  }

  package func entries(of id: String, from seq: Int, limit: Int) throws(JournalError)
    -> [JournalEntry]
  {
    pass(.entries, id)
    return try base.entries(of: id, from: seq, limit: limit)
  }

  package func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    pass(.cases)
    return try base.cases(whose: machine, after: id, limit: limit)
  }

  package func summary(of id: String) throws(JournalError) -> CaseSummary? {
    pass(.summary, id)
    return try base.summary(of: id)
  }

  package func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
    pass(.due)
    return try base.due(until: time, limit: limit)
  }

  package func nextDue(after time: Int) throws(JournalError) -> Int? {
    pass(.nextDue)
    return try base.nextDue(after: time)
  }

  package func close() throws(JournalError) { try base.close() }
}
