import FlowHosting
import FlowKernel
import Platform

/// The options of a node in a shared journal.
public struct NodeOptions: Sendable {
  /// The name of the node: a unique one for each, and a new one at each start.
  public var name = "node-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  /// The time after which a lease expires unless it is renewed: for that long nobody serves the cases of a
  /// node that died.
  public var lease = Duration.seconds(20)
  /// The interval at which leases are renewed, and missed work is searched for.
  public var renewal = Duration.seconds(1)
  /// The interval at which the inbox is read.
  public var looks = Duration.milliseconds(20)
  /// The time that a call waits for the node that holds its case; after that the request is not started any more.
  public var patience = Duration.seconds(30)

  /// Makes options that suit most uses.
  public init() {}
}

/// A node of a shared journal, with the shards that it holds and the requests that it is answering.
package final class CaseNode: Sendable {
  private struct State {
    var held: Set<Int> = []
    /// Shards with a case of a later version of the flow.
    var refused: Set<Int> = []
    /// The requests that this node is answering, whichever take they belong to: `taken(0)`.
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

  /// Calls the journal on a thread kept for that.
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

  /// Renews the leases; the node may then hold more or fewer shards.
  func renew() async throws(JournalError) {
    let (refused, isOver) = state.withLock { ($0.refused, $0.isOver) }
    if isOver { return }
    let held = try await call { [options] in
      try await $0.lease(as: options.name, for: options.lease, without: refused)
    }
    state.withLock { if !$0.isOver { $0.held = held } }
  }

  /// Gives up the shard of a case whose flow has a later version, so that another node serves it.
  package func refuse(_ id: String) async {
    let shard = journal.shard(of: id)
    state.withLock { state in
      state.refused.insert(shard)
      state.held.remove(shard)
    }
    try? await call { [options] in try await $0.release([shard], by: options.name) }
  }

  /// Gives all leases back.
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
      id: id, key: "\(options.name)/\(number)", request: request.value.encoded,
      patience: options.patience)
  }

  /// Takes the requests in the inbox of this node's shards.
  ///
  /// If another node has taken a request in between, this node may still be answering it for its earlier
  /// take. It does not start it a second time: both would find the same host, and one could pass while the
  /// other is refused.
  func takeDispatches() async throws(JournalError) -> [InboxDispatch] {
    let held = held
    if held.isEmpty { return [] }
    let waiting = try await call { [options] in
      try await $0.dispatches(in: held, limit: 256, by: options.name)
    }
    return state.withLock { state in waiting.filter { state.answering.insert($0.taken(0)).inserted }
    }
  }

  /// True while a dispatch still waits for an answer to this node's take.
  package func isWaiting(_ dispatch: InboxDispatch) async throws(JournalError) -> Bool {
    try await call { try await $0.isWaiting(dispatch) }
  }

  func hasAnswered(_ dispatch: InboxDispatch) {
    state.withLock { _ = $0.answering.remove(dispatch.taken(0)) }
  }
}
