import FlowKernel
import Platform

/// A journal that lasts as long as the process, for tests and for trying a flow out.
///
/// ```swift
/// let journal = MemoryJournal()
/// let host = try FlowHost(flow: url, journal: journal)
/// try host.dispatch("insert", ["amount": 1])
/// let later = try FlowHost(flow: url, journal: journal.restarted())  // as in another process
/// ```
///
/// It fulfils the contract of `Journal` except that nothing survives the process. It stores entries at once
/// and in order: `append` calls `done` before it returns, unless a test holds it back.
public final class MemoryJournal: Journal, JournalStorage {
  /// The way in which an append is made to fail.
  package enum InjectedFailure: Sendable {
    /// Nothing is stored.
    case before(JournalError)
    /// The entries are stored all the same, as if the disk's answer was lost.
    case after(JournalError)
  }

  private struct Waiting {
    let entries: [JournalEntry]
    let id: String
    let fence: Int
    let done: @Sendable (JournalError?) -> Void
  }

  private struct State {
    var kept: InMemoryCaseStore
    /// The cases with more stored than acknowledged entries, each with the number of those acknowledged.
    var acknowledged: [ExactText: Int] = [:]
    var faults: [Int: InjectedFailure] = [:]
    /// The error of all requests for tasks.
    var taskFault: JournalError?
    var appends = 0
    var isHeld = false
    var waiting: [Waiting] = []
    var isClosed = false
  }

  private let state: Mutex<State>

  /// True: no write blocks.
  package var writesAtOnce: Bool { true }

  /// Makes an empty journal.
  ///
  /// - Parameter keys: how long the keys of dispatches are kept before they expire.
  public convenience init(keepingKeys keys: Duration = .seconds(7 * 24 * 3_600)) {
    self.init(InMemoryCaseStore(keeping: KeyAge(keys)))
  }

  /// Makes an empty journal with a clock of its own.
  package convenience init(keys: KeyAge) { self.init(InMemoryCaseStore(keeping: keys)) }

  private init(_ kept: InMemoryCaseStore) { state = Mutex(State(kept: kept)) }

  private static let name = "the journal in memory"

  /// Reads, and throws if the journal is closed.
  private func reading<T>(
    _ read: (inout State) throws(JournalError) -> sending T
  ) throws(JournalError) -> sending T {
    let result: Result<T, JournalError> = state.withLock { state in
      guard !state.isClosed else { return .failure(AppendPosition.closed(Self.name)) }
      do throws(JournalError) {
        return .success(try read(&state))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Runs `body` with the table of tasks.
  func changingTasks<Answer: Sendable>(
    _ body: (inout InMemoryTasks) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try reading { (state) throws(JournalError) in
      if let fault = state.taskFault { throw fault }
      return try body(&state.kept.tasks)
    }
  }

  /// Claims the journal for a flow.
  package func identify(as flow: String, adopting: Bool) throws(JournalError) -> JournalIdentity {
    try reading { (state) throws(JournalError) in
      try state.kept.identify(as: flow, adopting: adopting, in: Self.name)
    }
  }

  /// Stores the texts of a flow.
  package func keep(_ flow: JournaledFlow) throws(JournalError) -> Int {
    try reading { state in state.kept.keep(flow) }
  }

  /// Returns the flow with a number.
  package func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    try reading { state in state.kept.flow(number) }
  }

  /// The numbers of all flows.
  package func flowNumbers() throws(JournalError) -> [Int] {
    try reading { state in state.kept.flowNumbers }
  }

  /// Makes the caller the writer of a case.
  package func activate(_ id: String) throws(JournalError) -> StoredCase? {
    try reading { state in state.kept.activate(id) }
  }

  /// Appends entries to a case.
  package func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) {
    let append = Waiting(entries: entries, id: id, fence: fence, done: done)
    let outcome: JournalError?? = state.withLock { state in
      if state.isClosed { return .some(AppendPosition.closed(Self.name)) }
      if state.isHeld {
        state.waiting.append(append)
        return nil
      }
      return .some(Self.perform(append, in: &state))
    }
    if let outcome { done(outcome) }
  }

  private static func perform(_ append: Waiting, in state: inout State) -> JournalError? {
    state.appends += 1
    switch state.faults.removeValue(forKey: state.appends) {
    case .before(let error):
      state.kept.breakOff(append.id, fence: append.fence)
      return error
    case .after(let error):
      let last = state.kept.lastEntry(of: append.id)
      if let refusal = state.kept.append(append.entries, to: append.id, fence: append.fence) {
        return refusal
      }
      let id = ExactText(append.id)
      state.acknowledged[id] = state.acknowledged[id] ?? last
      state.kept.breakOff(append.id, fence: append.fence)
      return error
    case nil:
      let refusal = state.kept.append(append.entries, to: append.id, fence: append.fence)
      if refusal == nil { state.acknowledged[ExactText(append.id)] = nil }
      return refusal
    }
  }

  /// Stores a snapshot of a case.
  package func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    state.withLock { state in
      if !state.isClosed { state.kept.keep(snapshot, of: id, fence: fence) }
    }
  }

  /// Returns the stored answer to a dispatch with a key.
  package func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try reading { state in state.kept.answer(to: key, of: id) }
  }

  /// Returns entries of a case in order.
  package func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try reading { state in state.kept.entries(of: id, from: seq, limit: limit) }
  }

  package func livingCases() throws(JournalError) -> [LivingCases] {
    try reading { state in state.kept.livingCases }
  }

  package func snapshots(of id: String) throws(JournalError) -> [StoredSnapshot] {
    try reading { state in state.kept.snapshots(of: id) }
  }

  /// Returns cases in order of id.
  package func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try reading { state in state.kept.cases(whose: machine, after: id, limit: limit) }
  }

  /// Returns the summary of a case.
  package func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try reading { state in state.kept.summary(of: id) }
  }

  /// Returns the ids of cases that have something due.
  package func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
    try reading { state in state.kept.due(until: time, limit: limit) }
  }

  /// Returns the earliest time after `time` at which a case has something due, in microseconds since 1970.
  package func nextDue(after time: Int) throws(JournalError) -> Int? {
    try reading { state in state.kept.nextDue(after: time) }
  }

  /// Completes the appends that are held back, and closes the journal.
  public func close() throws(JournalError) {
    release()
    state.withLock { $0.isClosed = true }
  }

  // MARK: What tests script

  /// Makes an append fail; the first one of this journal is number 1.
  package func fail(append number: Int, _ fault: InjectedFailure) {
    state.withLock { $0.faults[number] = fault }
  }

  /// Makes all requests for tasks fail from now on; nil lets them pass again.
  package func failTasks(with error: JournalError?) { state.withLock { $0.taskFault = error } }

  /// Returns the fence of a case's last activation.
  package func fence(of id: String) -> Int? { state.withLock { $0.kept.fence(of: id) } }

  /// The number of completed appends.
  package var appends: Int { state.withLock(\.appends) }

  /// The number of appends that are held back.
  package var held: Int { state.withLock(\.waiting.count) }

  /// Holds back all appends from now on: they are neither stored nor reported.
  package func hold() { state.withLock { $0.isHeld = true } }

  /// Completes appends that are held back, in order.
  ///
  /// - Parameter count: the number of appends; by default all of them and those that follow.
  package func release(_ count: Int = .max) {
    for _ in 0..<max(0, count) {
      let next: (Waiting, JournalError?)? = state.withLock { state in
        guard !state.waiting.isEmpty else {
          if count == .max { state.isHeld = false }
          return nil
        }
        let append = state.waiting.removeFirst()
        return (append, Self.perform(append, in: &state))
      }
      guard let (append, outcome) = next else { return }
      append.done(outcome)
    }
  }

  /// Returns the journal as another process finds it if this one ends now: with all acknowledged entries.
  ///
  /// Hosts and cases go on with their own journal; the returned one does not see what they store from now on.
  public func restarted() -> MemoryJournal { restarted(withAll: false) }

  /// Returns the journal as another process finds it if this one ends now.
  ///
  /// - Parameter withAll: true to include entries that were stored without being acknowledged.
  package func restarted(withAll: Bool) -> MemoryJournal {
    let kept = state.withLock { state in
      state.kept.restarted(with: withAll ? [:] : state.acknowledged)
    }
    return MemoryJournal(kept)
  }
}
