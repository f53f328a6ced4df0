import FlowHosting
import FlowKernel

/// A journal on which several processes, the *nodes*, serve one set of cases.
///
/// Cases are dealt into *shards* by their ids. A node has a *lease* on each shard whose cases it activates, and renews
/// it; what nobody renews others take. A lease only says who should: that nobody writes a case who has lost it the
/// fence sees to, as in every journal, by no clock. Leases and claims go by the journal's clock, not by the nodes'.
///
/// There is no network between nodes: what is asked of a case that another node holds lies in an *inbox* until that
/// node has answered it.
public protocol SharedJournal: Journal {
  /// How many parts cases are dealt into: the same for all nodes.
  var shards: Int { get }

  /// Renews a node's leases, and takes what is free or has expired up to its share: what there is divided by how many
  /// nodes live, rounded up. What it has above that is given back.
  ///
  /// - Parameters:
  ///   - node: its name, which no other has; it lives from its first lease on until one has expired, or it lets go.
  ///   - time: for how long.
  ///   - refused: shards that it does not want, because cases of them are none for it.
  /// - Returns: all shards that it holds now.
  func lease(
    as node: String, for time: Duration, without refused: Set<Int>
  ) async throws(JournalError) -> Set<Int>

  /// Gives leases back at once: those of some shards, or with nil all, and then the node lives no more.
  func release(_ shards: Set<Int>?, by node: String) async throws(JournalError)

  /// Which node holds a shard; nil where nobody does, or its lease has expired.
  func holder(of shard: Int) async throws(JournalError) -> String?

  /// Claims cases of some shards that have something due up to a time, the earliest first: nobody else is given
  /// what they have due then before the claim has expired.
  ///
  /// - Returns: their ids, no more than `limit`.
  func claimDue(
    until time: Int, limit: Int, for claim: Duration, in shards: Set<Int>
  ) async throws(JournalError) -> [String]

  /// Puts something into the inbox, for whoever holds the case. Once its patience has passed it is nobody's to answer
  /// any more, and goes when leases are renewed: also when who asked, and the node of that, are gone.
  func dispatch(_ dispatch: InboxDispatch) async throws(JournalError)

  /// Takes what waits in the inbox for an answer, in the order in which it came, of cases of some shards: nobody else
  /// can answer it any more, until somebody else takes it.
  ///
  /// - Returns: all that this node has taken and that waits still, now or before, each with the number of its `take`.
  func dispatches(
    in shards: Set<Int>, limit: Int, by node: String
  ) async throws(JournalError) -> [InboxDispatch]

  /// True if a request still waits for an answer, and nobody has taken it since it was taken as it is given here.
  func isWaiting(_ dispatch: InboxDispatch) async throws(JournalError) -> Bool

  /// Answers a request: the first answer stays. Once another node has taken the request, the answer is discarded, also
  /// if the first has taken it again by then.
  func answer(_ dispatch: InboxDispatch, with answer: [UInt8]) async throws(JournalError)

  /// The answer to an offer, which is taken out with it; nil as long as there is none.
  func takeAnswer(to dispatch: InboxDispatch) async throws(JournalError) -> [UInt8]?

  /// Takes an offer back, answered or not: nobody waits for it any more.
  func withdraw(_ dispatch: InboxDispatch) async throws(JournalError)

  /// Has somebody told which cases have new entries or offers, whoever wrote them: soon, many at once, and without a
  /// promise; who has to know looks.
  ///
  /// It goes on until the journal is closed.
  func onChanges(_ tell: @escaping @Sendable (Set<String>) -> Void)

  /// The fence of a case's last activation; nil where there is no such case.
  func fence(of id: String) async throws(JournalError) -> Int?
}

/// What is asked of a case that another node holds.
public struct InboxDispatch: Sendable, Hashable {
  /// The case's id.
  public let id: String
  /// What tells it from all others of that case.
  public let key: String
  /// What is asked, as Moonlatch encodes it.
  public let request: [UInt8]
  /// For how long an answer is of use, counted by the journal's clock from when the request is put into the inbox.
  public let patience: Duration
  /// How often the request had changed hands when it was taken, starting at 1; 0 while nobody has taken it.
  ///
  /// An answer counts for this take alone.
  public package(set) var take = 0

  /// A request.
  public init(
    id: String, key: String, request: [UInt8], patience: Duration = .seconds(30)
  ) {
    (self.id, self.key, self.request, self.patience) = (id, key, request, patience)
  }

  /// The request as its `take`-th taker has it.
  package func taken(_ take: Int) -> InboxDispatch {
    var dispatch = self
    dispatch.take = take
    return dispatch
  }
}

extension SharedJournal {
  /// The shard of a case: CRC-32C of its id, by the number of shards.
  public func shard(of id: String) -> Int { CaseShard.of(id, among: shards) }
}

/// Which of the shards a case is in: by the checksum of its id, so that every node finds the same.
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
