import FlowHosting
import FlowKernel
import Synchronization

/// How `Cases` take part as one of several nodes, in a journal that is shared.
public struct NodeOptions: Sendable {
  /// What the node is called: another name for each, and another each time one starts.
  public var name = "node-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  /// For how long a lease holds that is not renewed: so long nobody serves the cases of a node that dies.
  public var lease = Duration.seconds(20)
  /// How often leases are renewed, and what was missed is looked for.
  public var renewal = Duration.seconds(1)
  /// How often the inbox is looked into.
  public var looks = Duration.milliseconds(20)
  /// How long a call waits for the node that holds its case; what is not begun by then is not done any more.
  public var patience = Duration.seconds(30)

  /// What fits most.
  public init() {}
}

/// One of several nodes: which shards it holds, and what it is about to answer.
package final class CaseNode: Sendable {
  private struct State {
    var held: Set<Int> = []
    /// Shards with a case that is of a later version of the flow.
    var refused: Set<Int> = []
    /// The requests that this node answers now, whichever take they were begun for: `taken(0)`.
    var answering: Set<InboxDispatch> = []
    var dispatches = 0
    var tasks: [Task<Void, Never>] = []
    var isOver = false
  }

  package let journal: any SharedJournal
  package let options: NodeOptions
  private let calls: JournalCalls
  private let state = Mutex(State())

  package init(_ journal: any SharedJournal, _ calls: JournalCalls, _ options: NodeOptions) {
    (self.journal, self.calls, self.options) = (journal, calls, options)
  }

  /// Asks the journal, on a thread for that.
  package func call<Answer: Sendable>(
    _ body: @escaping @Sendable (any SharedJournal) async throws -> Answer
  ) async throws(JournalError) -> Answer {
    try await calls.call { [journal] _ in try await body(journal) }
  }

  deinit { stop() }

  package func holds(_ id: String) -> Bool {
    let shard = journal.shard(of: id)
    return state.withLock { $0.held.contains(shard) }
  }

  package var held: Set<Int> { state.withLock(\.held) }

  /// Renews the leases: what is held then may be more or less than before.
  func renew() async throws(JournalError) {
    let (refused, isOver) = state.withLock { ($0.refused, $0.isOver) }
    if isOver { return }
    let held = try await call { [options] in
      try await $0.lease(as: options.name, for: options.lease, without: refused)
    }
    state.withLock { if !$0.isOver { $0.held = held } }
  }

  /// A case is of a later version of the flow than this node has: another is to serve its shard.
  package func refuse(_ id: String) async {
    let shard = journal.shard(of: id)
    state.withLock { state in
      state.refused.insert(shard)
      state.held.remove(shard)
    }
    try? await call { [options] in try await $0.release([shard], by: options.name) }
  }

  /// Gives everything back.
  package func release() async throws(JournalError) {
    stop()
    try await call { [options] in try await $0.release(nil, by: options.name) }
  }

  /// Claims cases of this node that have something due.
  package func claimDue(until time: Int, limit: Int) async throws(JournalError) -> [String] {
    let held = held
    return try await call {
      try await $0.claimDue(until: time, limit: limit, for: .seconds(30), in: held)
    }
  }

  package func stop() {
    let tasks = state.withLock { state in
      (state.isOver, state.held) = (true, [])
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }

  package func keep(_ tasks: Task<Void, Never>...) {
    let isOver = state.withLock { state in
      if !state.isOver { state.tasks += tasks }
      return state.isOver
    }
    if isOver { for task in tasks { task.cancel() } }
  }

  // MARK: The inbox

  func newDispatch(_ id: String, _ request: CaseRequest) -> InboxDispatch {
    let number = state.withLock { state in
      state.dispatches += 1
      return state.dispatches
    }
    return InboxDispatch(
      id: id, key: "\(options.name)/\(number)", request: request.value.inboxBytes,
      patience: options.patience)
  }

  /// Takes what waits in the inbox of this node's shards.
  ///
  /// A request that another node has had in between may still be answered here for an earlier take. It is not begun a
  /// second time beside that: both would find the same host, and one could pass while the other is refused.
  func takeDispatches() async throws(JournalError) -> [InboxDispatch] {
    let held = held
    if held.isEmpty { return [] }
    let waiting = try await call { [options] in
      try await $0.dispatches(in: held, limit: 256, by: options.name)
    }
    return state.withLock { state in waiting.filter { state.answering.insert($0.taken(0)).inserted }
    }
  }

  /// True while a dispatch still waits for an answer to the take of this node.
  package func isWaiting(_ dispatch: InboxDispatch) async throws(JournalError) -> Bool {
    try await call { try await $0.isWaiting(dispatch) }
  }

  func hasAnswered(_ dispatch: InboxDispatch) {
    state.withLock { _ = $0.answering.remove(dispatch.taken(0)) }
  }
}
