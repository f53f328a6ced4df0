import FlowPostgres
import JournalRows
import Platform

/// A journal in which nodes are tried, and the nodes.
final class Trial {
  private let url: String
  private let schema: String
  let store: PostgresJournal
  private var started = 0

  init(_ url: String) throws {
    (self.url, schema) = (url, "proof_\(getpid())_\(now())")
    store = try PostgresJournal(url, schema: schema)
  }

  /// Starts a node.
  ///
  /// - Parameters:
  ///   - lease: for how long its leases hold, in milliseconds.
  ///   - renewal: how often they are renewed.
  ///   - awake: how many cases are awake at most.
  func start(
    _ flow: ProofFlow, lease: Int, renewal: Int, awake: Int = 1_000
  ) throws(CheckFailure) -> NodeProcess {
    started += 1
    return try NodeProcess(
      "node-\(started)",
      [url, schema, flow.rawValue, "\(lease)", "\(renewal)", "\(awake)"])
  }

  func start(
    _ count: Int, _ flow: ProofFlow, lease: Int, renewal: Int, awake: Int = 1_000
  ) throws -> [NodeProcess] {
    let nodes = try (0..<count).map { _ in
      try start(flow, lease: lease, renewal: renewal, awake: awake)
    }
    try settle(nodes)
    return nodes
  }

  /// Waits until all shards are held by these, each of which has its share.
  func settle(_ nodes: [NodeProcess]) throws {
    let share = (store.shards + nodes.count - 1) / nodes.count
    for _ in 0..<600 {
      var counts: [String: Int] = [:]
      for shard in 0..<store.shards {
        if let holder = try store.holder(of: shard) { counts[holder, default: 0] += 1 }
      }
      let held = nodes.map { counts[$0.name] ?? 0 }
      if held.reduce(0, +) == store.shards, held.allSatisfy({ $0 <= share }) { return }
      usleep(100_000)
    }
    throw CheckFailure("the shards are not shared out within a minute")
  }

  private var made = 0

  /// Ids of new cases that a node holds.
  func ids(_ count: Int, heldBy node: NodeProcess) throws -> [String] {
    var found: [String] = []
    for _ in 0..<100_000 where found.count < count {
      made += 1
      let id = "c-\(made)"
      if try store.holder(of: store.shard(of: id)) == node.name { found.append(id) }
    }
    try CheckFailure.unless(found.count == count, "\(node.name) holds nothing")
    return found
  }

  /// Nothing in the journal may be other than it was written, and no entry may be missing.
  func verify() throws {
    let findings = try store.verify()
    if let fault = findings.faults.first { throw CheckFailure("damaged: \(fault.description)") }
  }
}

/// How long things took, in milliseconds.
struct Times {
  private var all: [Int] = []
  var longest: Int { all.max() ?? 0 }
  var median: Int { all.isEmpty ? 0 : all.sorted()[all.count / 2] }
  mutating func add(nanoseconds: Int) { all.append(nanoseconds / 1_000_000) }
}
