import FlowCases
import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

#if PostgreSQL
  import FlowPostgres
#endif

/// A journal that is shared by two nodes.
private struct SharedTrial {
  enum Kind: CaseIterable, Sendable {
    case memory, postgres

    static var allCases: [Kind] { Server.url == nil ? [.memory] : [.memory, .postgres] }
  }

  let here: BlockingSharedJournal
  let there: BlockingSharedJournal
  let all = Set(0..<256)

  init(_ kind: Kind) throws {
    switch kind {
    case .memory:
      here = BlockingSharedJournal(SharedMemoryJournal(shards: 256))
      there = here
    case .postgres:
      #if PostgreSQL
        let (schema, url) = (Server.schema(), Server.url ?? "")
        here = BlockingSharedJournal(try PostgresJournal(url, schema: schema))
        there = BlockingSharedJournal(try PostgresJournal(url, schema: schema))
      #else
        throw JournalError(.failed, "these tests were built without the trait PostgreSQL.")
      #endif
    }
    for journal in [here, there] { _ = try journal.keep(JournaledFlow.trial) }
  }

  func lease(_ node: String, _ time: Duration = .seconds(600), without: Set<Int> = []) throws
    -> Set<Int>
  {
    try (node == "one" ? here : there).lease(as: node, for: time, without: without)
  }
}

/// Guarantees of every journal that nodes share.
@Suite struct ConformanceSharedTests {
  @Test(
    "shards are divided evenly among the live nodes, without overlap",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func deals(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    #expect(trial.here.shards == 256)
    #expect(try trial.lease("one") == trial.all)
    #expect(try trial.lease("two") == [])
    for _ in 1...2 {
      let parts = try [trial.lease("one"), trial.lease("two")]
      #expect(parts.map(\.count) == [128, 128] && parts[0].isDisjoint(with: parts[1]))
    }
    let three = try ["one", "two", "three", "one", "two", "three"].map { try trial.lease($0) }
    #expect(three.allSatisfy { $0.count <= 128 })
    #expect(three[3...].allSatisfy { $0.count <= 86 })
    #expect(three[3...].reduce(into: Set()) { $0.formUnion($1) } == trial.all)
    for (node, part) in zip(["one", "two", "three"], three[3...]) {
      #expect(try part.allSatisfy { try trial.here.holder(of: $0) == node })
    }
  }

  @Test(
    "an expired lease has no holder, and released shards can be leased at once",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func ends(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    #expect(try trial.lease("one", .zero) == trial.all)
    #expect(try trial.here.holder(of: 3) == nil)
    #expect(try trial.lease("two") == trial.all)
    #expect(try trial.there.holder(of: 3) == "two")
    try trial.here.release([3, 4], by: "one")
    #expect(try trial.there.holder(of: 3) == "two")
    try trial.there.release([3, 4], by: "two")
    #expect(try trial.here.holder(of: 3) == nil && trial.here.holder(of: 5) == "two")
    #expect(try trial.lease("one") == [3, 4])
    try trial.there.release(nil, by: "two")
    #expect(try trial.lease("one") == trial.all)
    #expect(try trial.here.holder(of: 256) == nil && trial.here.holder(of: -1) == nil)
  }

  @Test(
    "a shard that a node excludes from its lease is released and not leased to it",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func refused(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    #expect(try trial.lease("one") == trial.all)
    #expect(try trial.lease("one", without: [7, 8]) == trial.all.subtracting([7, 8]))
    #expect(try trial.here.holder(of: 7) == nil)
    #expect(try trial.lease("two").isSuperset(of: [7, 8]))
  }

  @Test("a case is in the same shard for every node", arguments: SharedTrial.Kind.allCases)
  fileprivate func shards(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    // The check value of CRC-32C is e3069283.
    #expect(trial.here.shard(of: "123456789") == 0x83)
    for (number, id) in ["a", "é", "e\u{301}", "o-17"].enumerated() {
      #expect(trial.here.add([.trial(1, due: number)], to: id) == nil)
      let shard = trial.there.shard(of: id)
      #expect(
        try trial.there.claimDue(until: number, limit: 9, for: .zero, in: [shard]).contains(id))
      #expect(
        try !trial.there.claimDue(
          until: number, limit: 9, for: .zero, in: trial.all.subtracting([shard])
        )
        .contains { Array($0.utf8) == Array(id.utf8) })
    }
  }

  @Test(
    "a due case is claimed once, the earliest first, until its claim expires or its due time changes",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func claims(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    func claim(_ limit: Int, _ time: Duration = .seconds(600), until: Int = 9) throws -> [String] {
      try trial.there.claimDue(until: until, limit: limit, for: time, in: trial.all)
    }
    for (id, due) in [("c", 3), ("a", 5), ("d", 3), ("b", 4), ("e", 10)] {
      #expect(trial.here.add([.trial(1, due: due)], to: id) == nil)
    }
    #expect(trial.here.add([.trial(1)], to: "f") == nil)
    #expect(try claim(0) == [] && claim(-1) == [] && claim(9, until: 2) == [])
    #expect(try claim(9, .zero) == ["c", "d", "b", "a"])
    #expect(try claim(3) == ["c", "d", "b"] && claim(9) == ["a"] && claim(9) == [])
    #expect(try claim(9, until: 10) == ["e"])
    let fence = try #require(try trial.there.activate("c")).fence
    #expect(trial.there.add([.trial(2, due: 6)], to: "c", fence: fence) == nil)
    #expect(try claim(9) == ["c"] && claim(9) == [])
    #expect(trial.there.add([.trial(3)], to: "c", fence: fence) == nil)
    #expect(try claim(9) == [])
  }

  @Test(
    "of several nodes that claim at the same time, exactly one gets each case",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func claimsAtOnce(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    for number in 2...300 {
      trial.here.journal.append([.trial(1, due: 5)], to: "c\(number)", fence: 1) { _ in }
    }
    #expect(trial.here.add([.trial(1, due: 5)], to: "c1") == nil)
    let (claimed, over, all) = (Monitor<[String]>([]), Monitor(0), trial.all)
    for journal in [trial.here, trial.there, trial.here, trial.there] {
      _ = SystemThread.start {
        while let found = try? journal.claimDue(until: 9, limit: 7, for: .seconds(600), in: all),
          !found.isEmpty
        {
          claimed.with { $0 += found }
        }
        over.with(waking: true) { $0 += 1 }
      }
    }
    over.wait { $0 == 4 ? () : nil }
    // One may have been skipped while another looked at it.
    let rest = try trial.here.claimDue(until: 9, limit: 300, for: .seconds(600), in: all)
    claimed.with { $0 += rest }
    #expect(claimed.with { $0.count } == 300 && Set(claimed.with { $0 }).count == 300)
  }

  @Test(
    "a dispatch is delivered to the holders of its shard, answered once, and deleted with its answer",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func inbox(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    let dispatches = ["k", "j", "i"].map { InboxDispatch(id: "a\0é", key: $0, request: [1, 0]) }
    let shard: Set = [trial.there.shard(of: "a\0é")]
    for dispatch in dispatches + dispatches { try trial.here.dispatch(dispatch) }
    func keys(_ limit: Int, _ shards: Set<Int>, by node: String = "n") throws -> [String] {
      try trial.there.dispatches(in: shards, limit: limit, by: node).map(\.key)
    }
    let taken = try trial.there.dispatches(in: shard, limit: 9, by: "n")
    #expect(taken.map(\.key) == ["k", "j", "i"] && taken.allSatisfy { $0.take == 1 })
    #expect(try trial.there.dispatches(in: shard, limit: 2, by: "n") == Array(taken.prefix(2)))
    #expect(try keys(-1, shard) == [])
    #expect(try keys(9, trial.all.subtracting(shard)) == [])
    #expect(try trial.here.takeAnswer(to: dispatches[0]) == nil)
    try trial.there.answer(taken[0], with: [7])
    try trial.there.answer(taken[0], with: [8])
    #expect(try keys(9, shard) == ["j", "i"])
    try trial.here.dispatch(dispatches[0])
    #expect(try trial.here.takeAnswer(to: dispatches[0]) == [7])
    #expect(try trial.here.takeAnswer(to: dispatches[0]) == nil)
    try trial.here.withdraw(dispatches[1])
    try trial.there.answer(taken[1], with: [9])
    #expect(try trial.here.takeAnswer(to: dispatches[1]) == nil)
    try trial.there.answer(taken[2], with: [])
    #expect(try trial.here.takeAnswer(to: dispatches[2]) == [])
    #expect(try keys(9, trial.all) == [])
  }

  @Test(
    "only the answer to the last delivery of a dispatch counts, even if one node has several",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func takenAgain(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    let request = InboxDispatch(id: "a", key: "k", request: [1])
    try trial.here.dispatch(request)
    func taken(by node: String) throws -> InboxDispatch {
      try #require(try trial.there.dispatches(in: trial.all, limit: 9, by: node).first)
    }
    let takes = try [taken(by: "n"), taken(by: "m"), taken(by: "n")]
    #expect(try taken(by: "n") == takes[2])
    #expect(try takes.map { try trial.there.isWaiting($0) } == [false, false, true])
    #expect(try !trial.there.isWaiting(request))
    for (number, dispatch) in takes.enumerated() {
      try trial.there.answer(dispatch, with: [UInt8(number)])
    }
    #expect(try !trial.there.isWaiting(takes[2]))
    #expect(try trial.here.takeAnswer(to: request) == [2])
  }

  @Test(
    "an expired dispatch cannot be answered, and is deleted when leases are renewed",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func impatient(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    func request(_ key: String, _ patience: Duration) -> InboxDispatch {
      InboxDispatch(id: "a", key: key, request: [1], patience: patience)
    }
    let (late, good) = (request("k", .zero), request("l", .seconds(600)))
    let again = request("k", .seconds(600))
    for dispatch in [late, good] { try trial.here.dispatch(dispatch) }
    let taken = try trial.there.dispatches(in: trial.all, limit: 9, by: "n")
    #expect(taken.map(\.key) == ["l"])
    #expect(try trial.there.isWaiting(taken[0]))
    for dispatch in [late, late.taken(1)] {
      #expect(try !trial.there.isWaiting(dispatch))
      try trial.there.answer(dispatch, with: [7])
      #expect(try trial.here.takeAnswer(to: late) == nil)
    }
    _ = try trial.lease("two")
    try trial.here.dispatch(again)
    let rest = try trial.there.dispatches(in: trial.all, limit: 9, by: "n")
    #expect(rest.map(\.key) == ["l", "k"])
  }

  @Test(
    "the node that activated a case last is its writer, and the other's next append is fenced",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func takeOver(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    #expect(try trial.there.fence(of: "a") == nil)
    #expect(trial.here.add([.trial(1)], to: "a") == nil)
    #expect(try trial.there.fence(of: "a") == 1)
    let stored = try #require(try trial.there.activate("a"))
    #expect(stored.fence == 2 && stored.entries.map(\.seq) == [1])
    #expect(try trial.here.fence(of: "a") == 2)
    #expect(trial.here.add([.trial(2)], to: "a")?.kind == .fenced)
    #expect(trial.there.add([.trial(2)], to: "a", fence: 2) == nil)
    let back = try #require(try trial.here.activate("a"))
    #expect(back.fence == 3 && back.entries.map(\.seq) == [1, 2])
    #expect(trial.there.add([.trial(3)], to: "a", fence: 2)?.kind == .fenced)
    #expect(trial.here.add([.trial(3)], to: "a", fence: 3) == nil)
    #expect(try trial.there.plain.entries(of: "a", from: 1, limit: 9).map(\.seq) == [1, 2, 3])
  }

  @Test(
    "a listener is notified of entries, dispatches and answers of other nodes",
    arguments: SharedTrial.Kind.allCases)
  fileprivate func listens(kind: SharedTrial.Kind) throws {
    let trial = try SharedTrial(kind)
    let heard = Monitor<Set<String>>([])
    trial.there.onChanges { ids in heard.with(waking: true) { $0.formUnion(ids) } }
    /// It is told without a promise, and not before it listens.
    func hears(_ id: String, of change: (Int) throws -> Void) throws {
      for number in 1...1_000 {
        try change(number)
        if heard.wait(milliseconds: 100, for: { $0.contains(id) ? true : nil }) == true { return }
      }
      Issue.record("\(id) was never told of")
    }
    try hears("a") { #expect(trial.here.add([.trial($0)], to: "a") == nil) }
    try hears("b\0é") {
      try trial.here.dispatch(InboxDispatch(id: "b\0é", key: "\($0)", request: [1]))
    }
    let dispatch = InboxDispatch(id: "c", key: "k", request: [1])
    try trial.here.dispatch(dispatch)
    let taken = try #require(
      try trial.there.dispatches(in: trial.all, limit: 9_999, by: "n").first { $0.id == "c" })
    try hears("c") { _ in try trial.here.answer(taken, with: [1]) }
    try trial.there.close()
  }
}
