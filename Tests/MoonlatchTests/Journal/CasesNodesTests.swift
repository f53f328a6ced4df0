import Histories
import LuaRuntime
import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Cases that several nodes serve together.
@Suite(.timeLimit(.minutes(2))) struct CasesNodesTests {
  /// A wall clock that is set by hand, in microseconds since 1970.
  private final class Wall: Sendable {
    private let time = Mutex(1_700_000_000_000_000)
    var now: Int { time.withLock { $0 } }
    func move(_ seconds: Int) { time.withLock { $0 += seconds * 1_000_000 } }
  }

  /// Nodes that look into their inboxes all the time; the rest is done by hand.
  private final class Nodes: Sendable {
    let wall = Wall()
    let journal: SharedMemoryJournal
    let all: [Cases]
    private let looking: Task<Void, Never>

    init(
      _ count: Int, _ sources: [String], shards: Int = 16,
      scopes: @escaping @Sendable (inout HostScopes) -> Void = { _ in }
    ) async throws {
      let wall = wall
      let journal = SharedMemoryJournal(shards: shards) { wall.now }
      var all: [Cases] = []
      for number in 0..<count {
        var options = HostOptions(clock: .virtual, report: { _ in })
        options.wall = { wall.now }
        var node = NodeOptions()
        (node.name, node.looks) = ("n\(number)", .milliseconds(1))
        // The clock by which requests end is set by hand, and leaps.
        node.patience = .seconds(1_000_000)
        all.append(
          try await Cases(
            of: LoadedFlow(source: sources[number % sources.count], name: "order.lua"), in: journal,
            options: options, node: node, scopes: scopes))
      }
      (self.journal, self.all) = (journal, all)
      looking = Task { [all] in
        while !Task.isCancelled {
          for node in all { await node.lookIntoInbox() }
          try? await Task.sleep(for: .milliseconds(1))
        }
      }
    }

    deinit { looking.cancel() }

    /// All renew their leases until nothing changes any more.
    func settle() async {
      for _ in 0..<2 { for node in all { await node.renewLeases() } }
    }

    /// The node that holds a case, and one that does not.
    func roles(of id: String) throws -> (owner: Cases, other: Cases) {
      let owner = try #require(all.first { $0.node?.holds(id) == true })
      return (owner, try #require(all.first { $0 !== owner }))
    }
  }

  private static let counter = """
    state { n = 0, lost = 0 }
    action.add {}
    action.never {}
    action.go {}
    internal.done {}
    internal.lost { error = string }
    function gate.never() return false, "it never may" end
    function reduce.add(s) s.n = s.n + 1 end
    function reduce.done(s) s.n = s.n + 100 end
    function reduce.lost(s) s.lost = s.lost + 1 end
    effect.go = { on_error = "lost", run = function(self) self:work() dispatch.done() end }
    function view.n(s) return s.n end
    function view.lost(s) return s.lost end
    """

  @Test("a node's lease time can be set, and a view can be read without a cached value")
  func page() async throws {
    let shared = SharedMemoryJournal()
    let requestID = "req-81"
    let order = try LoadedFlow(
      source: """
        state { cents = 0 }
        action.pay { cents = integer { min = 1 } }
        function reduce.pay(s, a) s.cents = s.cents + a.cents end
        function view.status(s) return s.cents > 0 and "paid" or "open" end
        """, name: "order.lua")
    var node = NodeOptions()
    node.lease = .seconds(20)  // so long nobody serves the cases of a node that has died
    let orders = try await Cases(of: order, in: shared, node: node)
    try await orders.create("o-17")
    try await orders["o-17"].dispatch("pay", ["cents": 250], key: requestID)
    let (status, revision) = try await orders["o-17"].view("status", fresh: true)
    #expect(status == "paid")
    #expect(revision == 1)
    try await orders.close()
  }

  @Test("shards are divided fairly, and all are held", arguments: 2...4)
  func fair(count: Int) async throws {
    let nodes = try await Nodes(count, [Self.counter])
    await nodes.settle()
    let held = nodes.all.compactMap { $0.node?.held }
    #expect(held.reduce(into: Set()) { $0.formUnion($1) }.count == 16)
    #expect(held.map(\.count).reduce(0, +) == 16)
    #expect(held.allSatisfy { $0.count <= (16 + count - 1) / count && $0.count >= 16 / count - 2 })
  }

  @Test("a request at the wrong node is answered by the holder of the case")
  func elsewhere() async throws {
    let nodes = try await Nodes(2, [Self.counter])
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    try await other.create("a", given: ["n": 5])
    #expect(other.active == 0 && owner.active == 1)
    let error = await #expect(throws: JournalError.self) { try await other.create("a") }
    #expect(error?.kind == .knownCase)
    #expect(try await other["a"].dispatch("add").commit?.revision == 1)
    #expect(try await other["a"].dispatch("never").refusal?.reason == "it never may")
    #expect(try await other["a"].dispatch("nothing").failure?.kind == .undeclared)
    #expect(try await other["a"].may("never").refusal?.rejectedBy == .gate("never"))
    #expect(try await other["a"].may("add").isGranted)
    #expect(try await other["a"].state()["n"] == 6)
    let seen = try await other["a"].view("n", fresh: true)
    #expect(seen.value == 6 && seen.asOf == 1)
    await #expect(throws: ViewError.self) { try await other["a"].view("m") }
    let unknown = await #expect(throws: JournalError.self) { try await other["b"].view("n") }
    #expect(unknown?.kind == .unknownCase)
    try await other["a"].end()
    #expect(try await other["a"].summary()?.ended != nil)
  }

  @Test("a request with a key is executed once, whichever nodes receive it")
  func keys() async throws {
    let nodes = try await Nodes(3, [Self.counter])
    await nodes.settle()
    try await nodes.all[0].create("a")
    for _ in 0..<2 {
      for node in nodes.all {
        #expect(try await node["a"].dispatch("add", key: "k").commit?.revision == 1)
      }
    }
    #expect(try await nodes.all[1]["a"].view("n") == 1)
    let error = await #expect(throws: JournalError.self) {
      try await nodes.roles(of: "a").other["a"].dispatch("go", key: "k")
    }
    #expect(error?.kind == .keyReused)
  }

  @Test("another node takes over the cases of a dead node once its leases have expired")
  func takeOver() async throws {
    let nodes = try await Nodes(2, [Self.counter])
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    try await owner.create("a")
    nodes.wall.move(19)
    await other.renewLeases()
    #expect(other.node?.holds("a") == false)
    nodes.wall.move(1)
    await other.renewLeases()
    #expect(other.node?.held.count == 16)
    #expect(try await other["a"].dispatch("add").isPassed)
  }

  @Test("a node paused beyond its lease writes nothing more, and asks the new holder")
  func paused() async throws {
    let nodes = try await Nodes(2, [Self.counter])
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    try await owner.create("a")
    nodes.wall.move(20)
    await other.renewLeases()
    #expect(try await other["a"].dispatch("add").isPassed)
    // It does not know yet, and shows what it knew; who wants to be sure is told what is.
    #expect(owner.node?.holds("a") == true)
    #expect(try await owner["a"].view("n") == 0)
    #expect(try await owner["a"].view("n", fresh: true).value == 1)
    #expect(try await owner["a"].dispatch("add").commit?.revision == 2)
    #expect(owner.active == 0 || owner.node?.holds("a") == true)
    #expect(try nodes.journal.entries(of: "a", from: 1, limit: 9).map(\.seq) == [1, 2, 3])
  }

  @Test("a node paused beyond its lease refuses nothing because of its stale state")
  func pausedRefusal() async throws {
    let nodes = try await Nodes(2, [Till.source])
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    try await owner.create("a")
    nodes.wall.move(20)
    await other.renewLeases()
    #expect(try await other["a"].dispatch("put", ["amount": 5]).isPassed)
    #expect(owner.node?.holds("a") == true)
    #expect(try await owner["a"].dispatch("take", ["amount": 5]).commit?.revision == 2)
    #expect(try await owner["a"].dispatch("take", ["amount": 5], key: "k").refusal != nil)
  }

  @Test("a request that another node has answered is not executed again")
  func answeredElsewhere() async throws {
    let nodes = try await Nodes(2, [Till.source])
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    try await owner.create("a", given: ["n": 5])
    let request = CaseRequest.dispatch("take", ["amount": 5], key: nil, by: nil)
    let dispatch = InboxDispatch(id: "a", key: "k", request: [])
    await #expect(throws: CancellationError.self) {
      try await request.perform(on: "a", of: owner, for: dispatch)
    }
    #expect(try await other["a"].view("n") == 5)
  }

  @Test("an effect of a paused node dispatches nothing once another node has the case")
  func pausedEffect() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let (returns, returned) = AsyncStream.makeStream(of: Void.self)
    let nodes = try await Nodes(2, [Self.counter]) { scopes in
      scopes.root.provide("work") { () async throws in
        for await _ in ends { break }
        returned.yield()
      }
    }
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    try await owner.create("a")
    try await owner["a"].dispatch("go")
    nodes.wall.move(20)
    await other.renewLeases()
    #expect(try await other["a"].view("lost") == 1)
    end.yield()
    for await _ in returns { break }
    #expect(try await owner["a"].view("n", fresh: true).value == 0)
    await owner.renewLeases()
    #expect(try await other["a"].view("n") == 0)
    #expect(try nodes.journal.summary(of: "a")?.revision == 2)
  }

  @Test("a request that was executed but not answered is not executed again by the next holder")
  func unanswered() async throws {
    let nodes = try await Nodes(2, [Self.counter])
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    func ask(_ request: CaseRequest, as key: String) async throws -> CaseAnswer {
      let dispatch = InboxDispatch(id: "a", key: key, request: request.value.encoded)
      try nodes.journal.dispatch(dispatch)
      while true {
        if let bytes = try nodes.journal.takeAnswer(to: dispatch) {
          return CaseAnswer(Value(encoded: bytes) ?? .nil, to: request)
        }
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    func isDone(_ answer: CaseAnswer) -> Bool { if case .done = answer { true } else { false } }
    func kind(_ answer: CaseAnswer) -> JournalError.Kind? {
      if case .failed(let error as JournalError) = answer { error.kind } else { nil }
    }
    // The owner dies after it has done each, before it says so.
    _ = try await CaseRequest.create(given: ["n": 5]).perform(
      on: "a", of: owner, for: InboxDispatch(id: "a", key: "x/1", request: []))
    nodes.wall.move(20)
    await other.renewLeases()
    #expect(other.node?.holds("a") == true)
    #expect(isDone(try await ask(.create(given: ["n": 5]), as: "x/1")))
    #expect(kind(try await ask(.create(given: ["n": 5]), as: "x/2")) == .knownCase)
    #expect(try await other["a"].view("n") == 5)
    _ = try await CaseRequest.end().perform(
      on: "a", of: other, for: InboxDispatch(id: "a", key: "x/3", request: []))
    #expect(isDone(try await ask(.end(), as: "x/3")))
    #expect(kind(try await ask(.end(), as: "x/4")) == .endedCase)
  }

  @Test("leases are renewed while due timers take long")
  func longTurn() async throws {
    let (wall, looks) = (Wall(), Ticks())
    let journal = SharedMemoryJournal(shards: 1) {
      _ = looks.next()
      return wall.now
    }
    var options = HostOptions(clock: .driven(by: TestClock()), report: { _ in })
    options.wall = { wall.now }
    var node = NodeOptions()
    (node.name, node.renewal) = ("n", .milliseconds(1))
    let flow = try LoadedFlow(
      source:
        "state {}\naction.go {}\naction.rest {}\neffect.go = function() after(60, \"rest\") end",
      name: "order.lua")
    func open() async throws -> Cases {
      try await Cases(of: flow, in: journal, options: options, node: node)
    }
    let first = try await open()
    try await first.create("a")
    try await first["a"].dispatch("go")
    try await first.close()
    // The journal cannot store the turn of the due timer, so the turn does not end.
    journal.store.hold()
    wall.move(60)
    let second = try await open()
    while !second.isAwake("a") { try await Task.sleep(for: .milliseconds(1)) }
    for _ in 0..<5 {
      wall.move(19)
      let before = looks.now
      while looks.now < before + 20 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(try journal.holder(of: 0) == "n")
    }
    #expect(try journal.summary(of: "a")?.revision == 1)
    journal.store.release()
    while try journal.summary(of: "a")?.revision == 1 {
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test("a node that closes releases its leases at once")
  func closed() async throws {
    let nodes = try await Nodes(2, [Self.counter])
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    try await owner.create("a")
    try await owner.close()
    await other.renewLeases()
    #expect(other.node?.held.count == 16)
    #expect(try await other["a"].dispatch("add").isPassed)
  }

  @Test("a node with an earlier version of the flow leaves a case to a node with the later one")
  func versions() async throws {
    let nodes = try await Nodes(2, ["version(2)\n" + Self.counter, Self.counter], shards: 1)
    let (new, old) = (nodes.all[0], nodes.all[1])
    try await new.create("a")
    nodes.wall.move(20)
    await old.renewLeases()
    #expect(old.node?.holds("a") == true)
    async let outcome = old["a"].dispatch("add")
    while old.node?.holds("a") == true { try await Task.sleep(for: .milliseconds(1)) }
    await old.renewLeases()
    #expect(old.node?.held == [])
    await new.renewLeases()
    #expect(try await outcome.isPassed)
    #expect(try await new["a"].view("n") == 1)
  }

  @Test("values of a view and entries are available at a node that does not hold the case")
  func told() async throws {
    let nodes = try await Nodes(2, [Self.counter])
    await nodes.settle()
    let (owner, other) = try nodes.roles(of: "a")
    try await owner.create("a")
    var values = other["a"].values(of: "n").makeAsyncIterator()
    var entries = other["a"].entries().makeAsyncIterator()
    #expect(try await values.next() == 0)
    #expect(try await entries.next()?.seq == 1)
    try await owner["a"].dispatch("add")
    #expect(try await values.next() == 1)
    #expect(try await entries.next()?.seq == 2)
  }

  @Test("a request that another node had in between is not executed beside the first attempt")
  func oneAttempt() async throws {
    let journal = SharedMemoryJournal(shards: 1)
    var options = NodeOptions()
    options.name = "a"
    let node = CaseNode(journal, JournalCalls(journal), options)
    try await node.renew()
    try journal.dispatch(InboxDispatch(id: "x", key: "k", request: []))
    let first = try #require(try await node.takeDispatches().first)
    #expect(try journal.dispatches(in: [0], limit: 1, by: "b").map(\.take) == [2])
    #expect(try await node.takeDispatches() == [])
    #expect(try await !node.isWaiting(first))
    node.hasAnswered(first)
    let second = try #require(try await node.takeDispatches().first)
    #expect(second.take == 3)
    #expect(try await node.isWaiting(second))
  }

  @Test("the answers of three nodes about a moving case are linearizable")
  func linear() async throws {
    for seed in 0..<100 { try await Self.history(seed: seed) }
  }

  /// A clock that each who looks at it moves on.
  private final class Ticks: Sendable {
    private let count = Mutex(0)
    var now: Int { count.withLock { $0 } }
    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }

  private static func history(seed: Int) async throws {
    let nodes = try await Nodes(3, [Till.source], shards: 1)
    try await nodes.all[0].create("a")
    let ticks = Ticks()
    let history = try await withThrowingTaskGroup(of: Till.History.self) { group in
      for (place, node) in nodes.all.enumerated() {
        group.addTask {
          var history: Till.History = []
          for step in 0..<6 {
            let question = Till.Question(number: (seed * 3 + place) * 6 + step)
            let begin = ticks.next()
            let answer = try await Till.ask(question, of: node["a"], key: "\(begin)")
            history.append(
              Operation(begin: begin, end: ticks.next(), question: question, answer: answer))
          }
          return history
        }
      }
      group.addTask {
        var (number, patience) = (seed, 50)
        while ticks.now < 36 {
          nodes.wall.move(number % 4 == 0 ? 20 : 7)
          await nodes.all[number % 3].renewLeases()
          number += number % 5 == 0 ? 2 : 1
          // Leases change hands no faster than somebody can be answered, however busy the machine is.
          let before = ticks.now
          for _ in 0..<patience where ticks.now == before {
            try await Task.sleep(for: .milliseconds(1))
          }
          patience = ticks.now == before ? patience * 2 : 50
        }
        return []
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let fault = try Till.fault(of: history)
    #expect(fault == nil, "\(seed): \(history)")
  }
}
