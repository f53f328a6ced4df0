import StateBlocks
import Testing

@Suite("updating an agent")
struct AgentUpdateTests {
  @Test("an update changes value and revision, and fetchAndUpdate returns its result")
  func update() throws {
    let counter = Agent(1)
    try counter.update { $0 += 1 }
    let before = try counter.fetchAndUpdate { count in
      defer { count *= 10 }
      return count
    }
    #expect(before == 2)
    #expect(try counter.snapshot == AgentSnapshot(value: 20, revision: 2))
  }

  @Test("a closure that throws changes neither value nor revision, and notifies no observer")
  func throwing() throws {
    let counter = Agent([1, 2])
    let told = Log<Int>()
    try counter.subscribe { told.append($0.revision) }
    #expect(throws: Oops()) {
      try counter.update { list in
        list.append(3)
        throw Oops()
      }
    }
    #expect(throws: Oops()) {
      try counter.fetchAndUpdate { list in
        list = []
        if list.isEmpty { throw Oops() }
        return 1
      }
    }
    #expect(try counter.snapshot == AgentSnapshot(value: [1, 2], revision: 0))
    #expect(told.all == [])
  }

  @Test(
    "a state that the validator rejects changes neither value nor revision, and notifies no observer"
  )
  func validator() throws {
    let seats = try Agent(2, name: "seats", validate: { $0 < 0 ? "no seat is left" : nil })
    let told = Log<Int>()
    try seats.subscribe { told.append($0.new) }
    try seats.update { $0 -= 1 }
    let error = #expect(throws: AgentError.self) { try seats.update { $0 -= 5 } }
    #expect(
      error.map { "\($0)" }
        == "agent \"seats\" stays at revision 1: the new state was rejected: no seat is left")
    #expect(throws: AgentError.self) {
      try seats.fetchAndUpdate {
        $0 = -1; return "sold"
      }
    }
    #expect(throws: AgentError.self) { try seats.compareAndSet(expecting: 1, to: -1) }
    #expect(try seats.snapshot == AgentSnapshot(value: 1, revision: 1))
    #expect(told.all == [1])
  }

  @Test("a closure that cannot throw changes a large array in place, and one that throws copies it")
  func inPlace() throws {
    let agent = Agent(Array(repeating: 0, count: 10_000))
    let address = try agent.fetch {
      $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
    for index in 0..<100 { try agent.update { $0[index] = index } }
    try agent.cast { $0[0] = 1 }
    let after = try agent.fetch { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
    #expect(address == after)
    try agent.update { (list: inout sending [Int]) throws -> Void in list[0] = 7 }
    let copied = try agent.fetch { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
    #expect(address != copied)
  }

  @Test("a chain of agents that returns to its start throws with their names")
  func chain() throws {
    let counter = Agent(0, name: "counter")
    let store = Agent("", name: "store")
    let error = #expect(throws: AgentError.reentrant(chain: ["counter", "store", "counter"])) {
      try counter.update { count in
        count = 5
        try store.update { _ in try counter.update { $0 += 1 } }
      }
    }
    #expect(error.map { "\($0)" }?.contains("counter → store → counter") == true)
    #expect(try counter.snapshot == AgentSnapshot(value: 0, revision: 0))
    try counter.update { count in
      try store.update { $0 += "\(count)" }
      count += 1
    }
    #expect(try counter.value == 1)
    #expect(try store.value == "0")
  }

  @Test("an agent called inside others is not a re-entry")
  func nesting() throws {
    let agents = (0..<5).map { Agent($0) }
    func sum(from index: Int) throws -> Int {
      if index == agents.count { return 0 }
      return try agents[index].fetch { $0 + (try sum(from: index + 1)) }
    }
    #expect(try sum(from: 0) == 10)
  }

  @Test("compareAndSet sets the value only if it has not changed since")
  func compareAndSet() throws {
    let text = Agent("a")
    let seen = try text.snapshot
    #expect(try text.compareAndSet(expecting: seen.revision, to: "b"))
    #expect(try !text.compareAndSet(expecting: seen.revision, to: "c"))
    #expect(try text.snapshot == AgentSnapshot(value: "b", revision: 1))
  }

  @Test(
    "two threads that use two agents in opposite orders do not deadlock, and one throws the cycle")
  func oppositeOrders() throws {
    let counter = Agent(0, name: "counter")
    let store = Agent(0, name: "store")
    let meeting = Meeting(2)
    let errors = Log<AgentError>()
    try onThreads(2) { index in
      let (first, second) = index == 0 ? (counter, store) : (store, counter)
      do {
        try first.update { one in
          one += 1
          meeting.wait()
          try second.update { $0 += 10 }
        }
      } catch let error as AgentError {
        errors.append(error)
      }
    }
    let chains: [AgentError] = [
      .deadlock(chain: ["counter", "store", "counter"]),
      .deadlock(chain: ["store", "counter", "store"]),
    ]
    #expect(errors.all.count == 1)
    #expect(errors.all.allSatisfy(chains.contains))
    // The thread that gave up took its own change back; the other one made both of its changes.
    #expect(try [counter.value, store.value].sorted() == [1, 10])
  }

  @Test("three threads in a cycle of three agents do not deadlock: one throws, two continue")
  func circleOfThree() throws {
    let agents = ["a", "b", "c"].map { Agent(0, name: $0) }
    let meeting = Meeting(3)
    let errors = Log<AgentError>()
    try onThreads(3) { index in
      do {
        try agents[index].update { _ in
          meeting.wait()
          try agents[(index + 1) % 3].update { $0 += 1 }
        }
      } catch let error as AgentError {
        errors.append(error)
      }
    }
    #expect(errors.all.count == 1)
    guard case .deadlock(let chain) = errors.all.first else {
      Issue.record("no circle was reported")
      return
    }
    #expect(chain.count == 4 && chain.first == chain.last && Set(chain) == ["a", "b", "c"])
    #expect(try agents.map { try $0.value }.reduce(0, +) == 2)
  }
}
