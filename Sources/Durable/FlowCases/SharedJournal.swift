import FlowHosting
import FlowKernel

/// A journal on which several processes, the *nodes*, serve one set of cases.
///
/// Cases are distributed over *shards* by their ids. A node has a *lease* on each shard whose cases it
/// activates, and renews it; other nodes take the shards whose leases have expired. A lease only says which
/// node should serve a shard: that a node that has lost a case cannot write to it is guaranteed by the fence,
/// as in every journal, without any clock. Leases and claims use the journal's clock, not those of the nodes.
///
/// There is no network between nodes: a request to a case that another node holds is in an *inbox* until that
/// node has answered it.
package protocol SharedJournal: JournalStorage {
  /// The number of shards, which is the same for all nodes.
  var shards: Int { get }

  /// Renews a node's leases, and takes free or expired ones up to its share.
  ///
  /// The share is the number of shards divided by the number of live nodes, rounded up. Leases above the
  /// share are given back.
  ///
  /// - Parameters:
  ///   - node: the unique name of the node, which is live from its first lease until a lease has expired or
  ///     it releases all.
  ///   - time: the duration of the leases.
  ///   - refused: shards that the node does not want, because it cannot serve cases of them.
  /// - Returns: all shards that the node holds now.
  func lease(
    as node: String, for time: Duration, without refused: Set<Int>
  ) async throws(JournalError) -> Set<Int>

  /// Gives leases back at once: those of some shards, or all of them with nil, after which the node is no longer live.
  func release(_ shards: Set<Int>?, by node: String) async throws(JournalError)

  /// Returns the node that holds a shard; nil if there is none, or its lease has expired.
  func holder(of shard: Int) async throws(JournalError) -> String?

  /// Claims cases of some shards that have something due until a time, the earliest first.
  ///
  /// Other nodes are not given what is due then before the claim has expired.
  ///
  /// - Returns: the ids of up to `limit` cases.
  func claimDue(
    until time: Int, limit: Int, for claim: Duration, in shards: Set<Int>
  ) async throws(JournalError) -> [String]

  /// Puts a request into the inbox for the node that holds the case.
  ///
  /// Once its patience has passed, the request is answered by nobody, and is removed when leases are renewed,
  /// even if the caller and its node are gone.
  func dispatch(_ dispatch: InboxDispatch) async throws(JournalError)

  /// Takes requests of some shards that wait for an answer from the inbox, in the order in which they came.
  ///
  /// Only this node can answer them, until another node takes them.
  ///
  /// - Returns: all waiting requests that this node has taken, now or before, each with the number of its `take`.
  func dispatches(
    in shards: Set<Int>, limit: Int, by node: String
  ) async throws(JournalError) -> [InboxDispatch]

  /// True if a request still waits for an answer, and has not been taken again since the given `take`.
  func isWaiting(_ dispatch: InboxDispatch) async throws(JournalError) -> Bool

  /// Answers a request; only the first answer is stored.
  ///
  /// Once another node has taken the request, the answer is discarded, even if the first node has taken it again since.
  func answer(_ dispatch: InboxDispatch, with answer: [UInt8]) async throws(JournalError)

  /// Removes an answered request and returns its answer; nil as long as there is none.
  func takeAnswer(to dispatch: InboxDispatch) async throws(JournalError) -> [UInt8]?

  /// Withdraws a request, answered or not, because nobody waits for the answer any more.
  func withdraw(_ dispatch: InboxDispatch) async throws(JournalError)

  /// Calls `tell` with the cases that have new entries or requests, whoever wrote them.
  ///
  /// Notifications come soon, for many cases at once, and may get lost: poll if you must not miss one.
  ///
  /// The notifications end when the journal is closed.
  func onChanges(_ tell: @escaping @Sendable (Set<String>) -> Void)

  /// Returns the fence of a case's last activation; nil if there is no such case.
  func fence(of id: String) async throws(JournalError) -> Int?
}

/// A request to a case that another node holds.
package struct InboxDispatch: Sendable, Hashable {
  /// The case's id.
  package let id: String
  /// The key of the request, which is unique in its case.
  package let key: String
  /// The content of the request, in Moonlatch's encoding.
  package let request: [UInt8]
  /// The time for which an answer is useful, by the journal's clock, from when the request is put into the inbox.
  package let patience: Duration
  /// The number of times that the request has changed hands when it was taken, starting at 1; 0 while nobody
  /// has taken it.
  ///
  /// An answer is valid for this take only.
  package var take = 0

  /// Makes a request.
  package init(
    id: String, key: String, request: [UInt8], patience: Duration = .seconds(30)
  ) {
    (self.id, self.key, self.request, self.patience) = (id, key, request, patience)
  }

  /// Returns the request with another `take`.
  package func taken(_ take: Int) -> InboxDispatch {
    var dispatch = self
    dispatch.take = take
    return dispatch
  }
}

extension SharedJournal {
  /// Returns the shard of a case: the CRC-32C of its id, modulo the number of shards.
  package func shard(of id: String) -> Int { CaseShard.of(id, among: shards) }
}

/// The mapping of cases to shards by the checksum of the id, which is the same on every node.
package enum CaseShard {
  package static func of(_ id: String, among shards: Int) -> Int {
    var sum: UInt32 = .max
    for byte in id.utf8 {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = (sum >> 1) ^ (sum & 1 == 1 ? 0x82f6_3b78 : 0) }
    }
    return Int(~sum) % max(1, shards)
  }
}
