import FlowPostgres
import JournalRows
import Moonlatch
import Platform

/// A journal in which entries of chosen cases wait before they are added: a process that is stopped meanwhile was
/// just about to add them.
final class HeldStore: SharedJournal {
  private struct State {
    var held: [String: [@Sendable (HeldStore) -> Void]] = [:]
    /// The results of the entries that were freed last.
    var (kept, refused) = (0, 0)
  }

  private let store: PostgresJournal
  private let state = Monitor(State())
  private let tell: @Sendable (String) -> Void

  /// - Parameter tell: told of each case of which an entry waits.
  init(_ store: PostgresJournal, _ tell: @escaping @Sendable (String) -> Void) {
    (self.store, self.tell) = (store, tell)
  }

  func hold(_ id: String) { state.with { $0.held[id] = [] } }

  /// Adds what was held.
  ///
  /// - Returns: how many of them were kept, and how many refused since another has the case.
  func free(_ id: String) -> (kept: Int, refused: Int) {
    let waiting = state.with { state in
      (state.kept, state.refused) = (0, 0)
      return state.held.removeValue(forKey: id) ?? []
    }
    for append in waiting { append(self) }
    return state.wait { $0.kept + $0.refused < waiting.count ? nil : ($0.kept, $0.refused) }
  }

  func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) {
    let isHeld = state.with { state in
      guard state.held[id] != nil else { return false }
      state.held[id]?.append { held in
        held.store.append(entries, to: id, fence: fence) { error in
          held.state.with(waking: true) { state in
            if error?.kind == .fenced { state.refused += 1 } else { state.kept += 1 }
          }
          done(error)
        }
      }
      return true
    }
    if isHeld { tell(id) } else { store.append(entries, to: id, fence: fence, done) }
  }

  // MARK: As in the store

  var writesAtOnce: Bool { store.writesAtOnce }
  var shards: Int { store.shards }
  func identify(as flow: String, adopting: Bool) throws(JournalError) -> JournalIdentity {
    try store.identify(as: flow, adopting: adopting)
  }
  func keep(_ flow: JournaledFlow) throws(JournalError) -> Int { try store.keep(flow) }
  func flow(_ number: Int) throws(JournalError) -> JournaledFlow? { try store.flow(number) }
  func activate(_ id: String) throws(JournalError) -> StoredCase? { try store.activate(id) }
  func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    store.keep(snapshot, of: id, fence: fence)
  }
  func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try store.answer(to: key, of: id)
  }
  func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try store.entries(of: id, from: seq, limit: limit)
  }
  func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try store.cases(whose: machine, after: id, limit: limit)
  }
  func summary(of id: String) throws(JournalError) -> CaseSummary? { try store.summary(of: id) }
  func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
    try store.due(until: time, limit: limit)
  }
  func nextDue(after time: Int) throws(JournalError) -> Int? {
    try store.nextDue(after: time)
  }
  func close() throws(JournalError) { try store.close() }
  func lease(
    as node: String, for time: Duration, without refused: Set<Int>
  ) throws(JournalError) -> Set<Int> {
    try store.lease(as: node, for: time, without: refused)
  }
  func release(_ shards: Set<Int>?, by node: String) throws(JournalError) {
    try store.release(shards, by: node)
  }
  func holder(of shard: Int) throws(JournalError) -> String? { try store.holder(of: shard) }
  func claimDue(
    until time: Int, limit: Int, for claim: Duration, in shards: Set<Int>
  ) throws(JournalError) -> [String] {
    try store.claimDue(until: time, limit: limit, for: claim, in: shards)
  }
  func dispatch(_ dispatch: InboxDispatch) throws(JournalError) { try store.dispatch(dispatch) }
  func dispatches(
    in shards: Set<Int>, limit: Int, by node: String
  ) throws(JournalError) -> [InboxDispatch] {
    try store.dispatches(in: shards, limit: limit, by: node)
  }
  func isWaiting(_ dispatch: InboxDispatch) throws(JournalError) -> Bool {
    try store.isWaiting(dispatch)
  }
  func answer(_ dispatch: InboxDispatch, with answer: [UInt8]) throws(JournalError) {
    try store.answer(dispatch, with: answer)
  }
  func takeAnswer(to dispatch: InboxDispatch) throws(JournalError) -> [UInt8]? {
    try store.takeAnswer(to: dispatch)
  }
  func withdraw(_ dispatch: InboxDispatch) throws(JournalError) { try store.withdraw(dispatch) }
  func onChanges(_ tell: @escaping @Sendable (Set<String>) -> Void) { store.onChanges(tell) }
  func fence(of id: String) throws(JournalError) -> Int? { try store.fence(of: id) }
}
