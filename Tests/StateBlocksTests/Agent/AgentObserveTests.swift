import StateBlocks
import Testing

@Suite("observing an agent")
struct AgentObserveTests {
  @Test("observers get the old value, the new one and the revision, in registration order")
  func order() throws {
    let counter = Agent(0)
    let log = Log<String>()
    for name in ["a", "b", "c"] {
      try counter.subscribe { change in
        log.append("\(name) \(change.old)→\(change.new) #\(change.revision)")
        let revision = try counter.revision
        #expect(revision == change.revision)
      }
    }
    try counter.update { $0 = 5 }
    try counter.fetchAndUpdate { $0 = 6 }
    #expect(
      log.all == [
        "a 0→5 #1", "b 0→5 #1", "c 0→5 #1", "a 5→6 #2", "b 5→6 #2", "c 5→6 #2",
      ])
  }

  @Test("an update by an observer is delivered after the current change was delivered to all")
  func updateInside() throws {
    let counter = Agent(0)
    let log = Log<String>()
    try counter.subscribe { change in
      log.append("a\(change.revision)")
      if change.revision < 3 { try counter.update { $0 += 1 } }
    }
    try counter.subscribe { log.append("b\($0.revision)") }
    try counter.update { $0 += 1 }
    #expect(log.all == ["a1", "b1", "a2", "b2", "a3", "b3"])
  }

  @Test("an observer that throws is reported, and the others are notified")
  func throwing() throws {
    let failures = Log<String>()
    let counter = Agent(0, name: "counter", report: { failures.append($0.description) })
    let told = Log<Int>()
    try counter.subscribe { _ in throw Oops() }
    try counter.subscribe { told.append($0.new) }
    try counter.update { $0 = 1 }
    #expect(told.all == [1])
    #expect(failures.all == ["an observer of agent \"counter\" failed at revision 1: oops"])
    #expect(try counter.value == 1)
  }

  @Test("an observer that subscribes during delivery starts with the next change")
  func subscribeInside() throws {
    let counter = Agent(0)
    let told = Log<Int>()
    try counter.subscribe { change in
      if change.revision == 1 { try counter.subscribe { told.append($0.revision) } }
    }
    try counter.update { $0 += 1 }
    #expect(told.all == [])
    try counter.update { $0 += 1 }
    #expect(told.all == [2])
  }

  @Test("an observer cancelled during delivery is not called again, whoever cancels it")
  func cancelInside() throws {
    let counter = Agent(0)
    let told = Log<String>()
    let later = Agent<AgentSubscription?>(nil)
    try counter.subscribe { _ in
      told.append("first")
      try later.value?.cancel()
    }
    let second = try counter.subscribe { _ in told.append("second") }
    try later.update { $0 = second }
    try counter.update { $0 += 1 }
    #expect(told.all == ["first"])
    #expect(!second.cancel())
    let own = Agent<AgentSubscription?>(nil)
    let third = try counter.subscribe { _ in
      told.append("third")
      try own.value?.cancel()
    }
    try own.update { $0 = third }
    try counter.update { $0 += 1 }
    try counter.update { $0 += 1 }
    #expect(told.all == ["first", "first", "third", "first"])
  }

  @Test(
    "any order of subscribing, unsubscribing and updating delivers exactly the expected changes")
  func everyOrder() throws {
    // Every sequence of four steps out of: subscribe one more, cancel the oldest, update.
    for code in 0..<81 {
      let counter = Agent(0)
      let told = Log<String>()
      var subscriptions: [(name: Int, subscription: AgentSubscription)] = []
      var expected: [String] = []
      var names = 0
      var rest = code
      for _ in 0..<4 {
        switch rest % 3 {
        case 0:
          names += 1
          let name = names
          let new = try counter.subscribe { told.append("\(name) #\($0.revision)") }
          subscriptions.append((name, new))
        case 1:
          if !subscriptions.isEmpty { #expect(subscriptions.removeFirst().subscription.cancel()) }
        default:
          try counter.update { $0 += 1 }
          expected += try subscriptions.map { "\($0.name) #\(try counter.revision)" }
        }
        rest /= 3
      }
      #expect(told.all == expected, "order \(code)")
    }
  }

  @Test("a change inside another agent's closure is delivered after that closure has ended")
  func outside() throws {
    let inner = Agent(0)
    let outer = Agent(0)
    let seen = Log<Int>()
    try inner.subscribe { change in seen.append(change.new * 100 + (try outer.value)) }
    try outer.update { state in
      try inner.update { $0 = 1 }
      #expect(seen.all == [])
      state = 7
    }
    #expect(seen.all == [107])
    #expect(throws: Oops()) {
      try outer.update { _ in
        try inner.update { $0 = 2 }
        throw Oops()
      }
    }
    #expect(seen.all == [107, 207])
  }

  @Test("concurrent updates are delivered once each, in order of revision")
  func threads() throws {
    let counter = Agent(0)
    let revisions = Log<Int>()
    let broken = Log<String>()
    try counter.subscribe { change in
      if change.new != change.old + 1 { broken.append("\(change)") }
      revisions.append(change.revision)
    }
    try onThreads(4) { _ in for _ in 0..<1000 { try counter.update { $0 += 1 } } }
    try counter.flush()
    #expect(revisions.all == Array(1...4000))
    #expect(broken.all == [])
  }

  @Test("a sequence of changes starts when it is made, and ends when the agent is stopped")
  func changes() async throws {
    let counter = Agent(0)
    try counter.update { $0 += 1 }
    let changes = counter.changes
    try counter.update { $0 += 1 }
    try counter.update { $0 += 1 }
    _ = try counter.stop()
    var seen: [AgentChange<Int>] = []
    for await change in changes { seen.append(change) }
    #expect(
      seen == [
        AgentChange(revision: 2, old: 1, new: 2),
        AgentChange(revision: 3, old: 2, new: 3),
      ])
    for await _ in counter.changes { Issue.record("a stopped agent has no changes") }
  }

  @Test("the oldest unread changes are dropped, as the revisions show")
  func buffering() async throws {
    let counter = Agent(0)
    let newest = counter.changes(keeping: 2)
    let many = counter.changes
    for _ in 0..<300 { try counter.update { $0 += 1 } }
    _ = try counter.stop()
    var seen: [Int] = []
    for await change in newest { seen.append(change.revision) }
    #expect(seen == [299, 300])
    seen = []
    for await change in many { seen.append(change.revision) }
    #expect(seen == Array(45...300))
  }

  @Test("a sequence that is released ends its subscription")
  func dropped() throws {
    let list = Agent(Array(repeating: 0, count: 1000))
    func address() throws -> UInt {
      try list.fetch { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
    }
    do { _ = list.changes }
    let before = try address()
    try list.update { $0[0] = 1 }
    #expect(try address() == before, "an observed list would have been copied")
  }
}
