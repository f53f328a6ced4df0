import FlowHosting
import FlowKernel
import Platform

/// A journal in memory that several `Cases` of one process share, each as a node of its own, for tests.
///
/// ```swift
/// let journal = SharedMemoryJournal()
/// let here = try await Cases(of: order, in: journal)
/// let there = try await Cases(of: order, in: journal)
/// ```
public final class SharedMemoryJournal: Journal, SharedJournal, SnapshotReading {
  private struct Lease {
    var node: String
    var until: Int
  }

  private struct Dispatched {
    var dispatch: InboxDispatch
    /// The time until which an answer is useful, in microseconds since 1970.
    let until: Int
    var answer: [UInt8]?
    /// The node that has taken the request.
    var taker: String?

    func isRequest(_ other: InboxDispatch) -> Bool {
      dispatch.taken(other.take) == other
    }

    /// True while an answer to a take is accepted.
    func waits(for take: InboxDispatch) -> Bool {
      dispatch == take && taker != nil && answer == nil
    }
  }

  private struct State {
    var leases: [Int: Lease] = [:]
    /// The time until which each node is live.
    var nodes: [String: Int] = [:]
    /// The due time of each claimed case, and the time until which it is given to nobody else.
    var claims: [ExactText: (due: Int?, until: Int)] = [:]
    var inbox: [Dispatched] = []
    var listeners: [@Sendable (Set<String>) -> Void] = []
  }

  /// The journal of the cases.
  package let store: MemoryJournal
  /// The number of shards.
  package let shards: Int
  /// True: no write blocks.
  package var writesAtOnce: Bool { true }
  let wall: @Sendable () -> Int
  private let state = Mutex(State())

  /// Makes an empty journal.
  public convenience init(shards: Int = 16) { self.init(shards: shards, wall: EngineTime.wall) }

  /// Makes an empty journal with a clock of its own, in microseconds since 1970.
  package init(shards: Int = 16, wall: @escaping @Sendable () -> Int) {
    (self.shards, self.wall) = (max(1, shards), wall)
    store = MemoryJournal(keys: KeyAge(KeyAge.week, wall: wall))
  }

  // MARK: Leases

  /// Renews a node's leases, and takes free ones up to its share.
  package func lease(
    as node: String, for time: Duration, without refused: Set<Int>
  ) throws(JournalError) -> Set<Int> {
    let now = wall()
    let until = EngineTime.later(now, by: EngineTime.microseconds(time))
    return state.withLock { state in
      state.nodes = state.nodes.filter { $0.value > now }
      state.leases = state.leases.filter { $0.value.until > now }
      state.inbox.removeAll { $0.until <= now }
      state.nodes[node] = until
      let share = (shards + state.nodes.count - 1) / state.nodes.count
      var held = state.leases.filter { $0.value.node == node }.keys.sorted()
      for shard in held where refused.contains(shard) { state.leases[shard] = nil }
      held.removeAll { refused.contains($0) }
      while held.count > share { state.leases[held.removeLast()] = nil }
      for shard in 0..<shards
      where held.count < share && state.leases[shard] == nil && !refused.contains(shard) {
        held.append(shard)
      }
      for shard in held { state.leases[shard] = Lease(node: node, until: until) }
      return Set(held)
    }
  }

  /// Gives leases back at once.
  package func release(_ shards: Set<Int>?, by node: String) throws(JournalError) {
    state.withLock { state in
      state.leases = state.leases.filter { shard, lease in
        lease.node != node || shards?.contains(shard) == false
      }
      if shards == nil { state.nodes[node] = nil }
    }
  }

  /// Returns the node that holds a shard.
  package func holder(of shard: Int) throws(JournalError) -> String? {
    let now = wall()
    return state.withLock { state in
      state.leases[shard].flatMap { $0.until > now ? $0.node : nil }
    }
  }

  /// Claims cases that have something due.
  package func claimDue(
    until time: Int, limit: Int, for claim: Duration, in shards: Set<Int>
  ) throws(JournalError) -> [String] {
    let due = try store.due(until: time, limit: .max).map { id throws(JournalError) in
      (id: id, due: try store.summary(of: id)?.due)
    }
    let now = wall()
    let end = EngineTime.later(now, by: EngineTime.microseconds(claim))
    return state.withLock { state in
      state.claims = state.claims.filter { $0.value.until > now }
      let free = due.lazy.filter { [claims = state.claims] id, due in
        guard shards.contains(self.shard(of: id)) else { return false }
        return claims[ExactText(id)].map { $0.due != due } ?? true
      }
      let claimed = Array(free.prefix(max(0, limit)))
      for (id, due) in claimed { state.claims[ExactText(id)] = (due, end) }
      return claimed.map(\.id)
    }
  }

  // MARK: The inbox

  /// Puts a request into the inbox.
  package func dispatch(_ dispatch: InboxDispatch) throws(JournalError) {
    let until = EngineTime.later(wall(), by: EngineTime.microseconds(dispatch.patience))
    state.withLock { state in
      if !state.inbox.contains(where: { $0.isRequest(dispatch) }) {
        state.inbox.append(Dispatched(dispatch: dispatch, until: until))
      }
    }
    tell(dispatch.id)
  }

  /// Takes requests that wait for an answer.
  package func dispatches(
    in shards: Set<Int>, limit: Int, by node: String
  ) throws(JournalError) -> [InboxDispatch] {
    let now = wall()
    return state.withLock { state in
      let waiting = state.inbox.indices.filter { [inbox = state.inbox] place in
        inbox[place].answer == nil && inbox[place].until > now
          && shards.contains(self.shard(of: inbox[place].dispatch.id))
      }
      return waiting.prefix(max(0, limit)).map { place in
        if state.inbox[place].taker != node {
          state.inbox[place].taker = node
          state.inbox[place].dispatch.take += 1
        }
        return state.inbox[place].dispatch
      }
    }
  }

  /// True while a request waits for an answer to a take.
  package func isWaiting(_ dispatch: InboxDispatch) throws(JournalError) -> Bool {
    let now = wall()
    return state.withLock { state in
      state.inbox.contains {
        $0.waits(for: dispatch) && $0.until > now
      }
    }
  }

  /// Answers a request.
  package func answer(_ dispatch: InboxDispatch, with answer: [UInt8]) throws(JournalError) {
    state.withLock { state in
      let place = state.inbox.firstIndex { $0.waits(for: dispatch) }
      if let place { state.inbox[place].answer = answer }
    }
    tell(dispatch.id)
  }

  /// Removes an answered request and returns its answer; nil as long as there is none.
  package func takeAnswer(to dispatch: InboxDispatch) throws(JournalError) -> [UInt8]? {
    state.withLock { state in
      guard
        let place = state.inbox.firstIndex(where: { $0.isRequest(dispatch) && $0.answer != nil })
      else { return nil }
      return state.inbox.remove(at: place).answer
    }
  }

  /// Withdraws a request.
  package func withdraw(_ dispatch: InboxDispatch) throws(JournalError) {
    state.withLock { state in state.inbox.removeAll { $0.isRequest(dispatch) } }
  }

  // MARK: Telling

  /// Calls `tell` with the cases that have new entries or requests.
  package func onChanges(_ tell: @escaping @Sendable (Set<String>) -> Void) {
    state.withLock { $0.listeners.append(tell) }
  }

  func tell(_ id: String) {
    for listener in state.withLock(\.listeners) { listener([id]) }
  }

  /// Returns the fence of a case's last activation.
  package func fence(of id: String) throws(JournalError) -> Int? { store.fence(of: id) }

  // MARK: What every journal does

  /// Claims the journal for a flow.
  package func identify(as flow: String, adopting: Bool) throws(JournalError) -> JournalIdentity {
    try store.identify(as: flow, adopting: adopting)
  }

  package func livingCases() throws(JournalError) -> [LivingCases] { try store.livingCases() }

  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    try store.snapshot(of: id, isNewest: isNewest)
  }

  /// Stores the texts of a flow.
  package func keep(_ flow: JournaledFlow) throws(JournalError) -> Int { try store.keep(flow) }

  /// Returns the flow with a number.
  package func flow(_ number: Int) throws(JournalError) -> JournaledFlow? { try store.flow(number) }

  /// Makes the caller the writer of a case.
  package func activate(_ id: String) throws(JournalError) -> StoredCase? { try store.activate(id) }

  /// Appends entries to a case.
  package func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) {
    store.append(entries, to: id, fence: fence) { [weak self] error in
      done(error)
      if error == nil { self?.tell(id) }
    }
  }

  /// Stores a snapshot of a case.
  package func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    store.keep(snapshot, of: id, fence: fence)
  }

  /// Returns the stored answer to a dispatch with a key.
  package func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try store.answer(to: key, of: id)
  }

  /// Returns entries of a case in order.
  package func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try store.entries(of: id, from: seq, limit: limit)
  }

  /// Returns cases in order of id.
  package func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try store.cases(whose: machine, after: id, limit: limit)
  }

  /// Returns the summary of a case.
  package func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try store.summary(of: id)
  }

  /// Returns the ids of cases that have something due.
  package func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
    try store.due(until: time, limit: limit)
  }

  /// Returns the earliest time after `time` at which a case has something due, in microseconds since 1970.
  package func nextDue(after time: Int) throws(JournalError) -> Int? {
    try store.nextDue(after: time)
  }

  /// Closes the journal; later calls of the stored cases fail.
  public func close() throws(JournalError) {
    state.withLock { $0.listeners = [] }
    try store.close()
  }
}

extension SharedMemoryJournal: FlowListing {
  package func flowNumbers() throws(JournalError) -> [Int] { try store.flowNumbers() }
}
