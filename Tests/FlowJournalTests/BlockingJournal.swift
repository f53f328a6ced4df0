import FlowCases
import FlowHosting
import FlowKernel

/// A journal whose calls block until they are answered.
struct BlockingJournal: Sendable {
  let journal: any JournalStorage

  init(_ journal: any JournalStorage) { self.journal = journal }

  private func wait<Answer: Sendable>(
    _ body: @escaping @Sendable (any JournalStorage) async throws -> Answer
  ) throws(JournalError) -> Answer {
    try JournalCalls.of(journal).wait(body)
  }

  func identify(as flow: String, adopting: Bool) throws(JournalError) -> JournalIdentity {
    try wait { try await $0.identify(as: flow, adopting: adopting) }
  }

  func keep(_ flow: JournaledFlow) throws(JournalError) -> Int {
    try wait { try await $0.keep(flow) }
  }

  func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    journal.keep(snapshot, of: id, fence: fence)
  }

  func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    try wait { try await $0.flow(number) }
  }

  func activate(_ id: String) throws(JournalError) -> StoredCase? {
    try wait { try await $0.activate(id) }
  }

  func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) { journal.append(entries, to: id, fence: fence, done) }

  func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try wait { try await $0.answer(to: key, of: id) }
  }

  func entries(of id: String, from seq: Int, limit: Int) throws(JournalError) -> [JournalEntry] {
    try wait { try await $0.entries(of: id, from: seq, limit: limit) }
  }

  func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try wait { try await $0.cases(whose: machine, after: id, limit: limit) }
  }

  func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try wait { try await $0.summary(of: id) }
  }

  func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
    try wait { try await $0.due(until: time, limit: limit) }
  }

  func nextDue(after time: Int) throws(JournalError) -> Int? {
    try wait { try await $0.nextDue(after: time) }
  }

  func close() throws(JournalError) { try wait { try await $0.close() } }
}

/// A journal shared by nodes, whose calls block until they are answered.
struct BlockingSharedJournal: Sendable {
  let journal: any SharedJournal

  init(_ journal: any SharedJournal) { self.journal = journal }

  /// The calls that every journal has.
  var plain: BlockingJournal { BlockingJournal(journal) }

  private func wait<Answer: Sendable>(
    _ body: @escaping @Sendable (any SharedJournal) async throws -> Answer
  ) throws(JournalError) -> Answer {
    try JournalCalls.of(journal).wait { [journal] _ in try await body(journal) }
  }

  var shards: Int { journal.shards }

  func shard(of id: String) -> Int { journal.shard(of: id) }

  func keep(_ flow: JournaledFlow) throws(JournalError) -> Int { try plain.keep(flow) }

  func activate(_ id: String) throws(JournalError) -> StoredCase? { try plain.activate(id) }

  func close() throws(JournalError) { try plain.close() }

  @discardableResult
  func add(_ entries: [JournalEntry], to id: String, fence: Int = 1) -> JournalError? {
    journal.add(entries, to: id, fence: fence)
  }

  func lease(
    as node: String, for time: Duration, without refused: Set<Int>
  ) throws(JournalError) -> Set<Int> {
    try wait { try await $0.lease(as: node, for: time, without: refused) }
  }

  func release(_ shards: Set<Int>?, by node: String) throws(JournalError) {
    try wait { try await $0.release(shards, by: node) }
  }

  func holder(of shard: Int) throws(JournalError) -> String? {
    try wait { try await $0.holder(of: shard) }
  }

  func claimDue(
    until time: Int, limit: Int, for claim: Duration, in shards: Set<Int>
  ) throws(JournalError) -> [String] {
    try wait { try await $0.claimDue(until: time, limit: limit, for: claim, in: shards) }
  }

  func dispatch(_ dispatch: InboxDispatch) throws(JournalError) {
    try wait { try await $0.dispatch(dispatch) }
  }

  func dispatches(
    in shards: Set<Int>, limit: Int, by node: String
  ) throws(JournalError) -> [InboxDispatch] {
    try wait { try await $0.dispatches(in: shards, limit: limit, by: node) }
  }

  func isWaiting(_ dispatch: InboxDispatch) throws(JournalError) -> Bool {
    try wait { try await $0.isWaiting(dispatch) }
  }

  func answer(_ dispatch: InboxDispatch, with answer: [UInt8]) throws(JournalError) {
    try wait { try await $0.answer(dispatch, with: answer) }
  }

  func takeAnswer(to dispatch: InboxDispatch) throws(JournalError) -> [UInt8]? {
    try wait { try await $0.takeAnswer(to: dispatch) }
  }

  func withdraw(_ dispatch: InboxDispatch) throws(JournalError) {
    try wait { try await $0.withdraw(dispatch) }
  }

  func onChanges(_ report: @escaping @Sendable (Set<String>) -> Void) { journal.onChanges(report) }

  func fence(of id: String) throws(JournalError) -> Int? { try wait { try await $0.fence(of: id) } }
}
