import Dispatch
@_spi(FlowHost) import StateBlocks
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct AgentHostingTests {
  @Test("an update that waits for the agent runs in the caller's own task")
  func ownTask() async throws {
    let agent = Agent([String](), name: "log")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for i in 0..<100 {
        group.addTask {
          try await Caller.$name.withValue("\(i)") {
            try await agent.fetchAndUpdateWhenFree { $0.append("\(i) \(Caller.name ?? "nobody")") }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try agent.value.sorted() == (0..<100).map { "\($0) \($0)" }.sorted())
    #expect(try agent.revision == 100)
  }

  @Test("waiting and blocking updates are all executed, and each caller gets its own result")
  func mixed() async throws {
    let agent = Agent(0, name: "count")
    let seen = Seen()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for i in 0..<8 {
        group.addTask {
          for _ in 0..<200 {
            let count =
              i.isMultiple(of: 2)
              ? try await agent.fetchAndUpdateWhenFree { count in
                count += 1
                return count
              }
              : try agent.fetchAndUpdate { count in
                count += 1
                return count
              }
            #expect(seen.add(count))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try agent.value == 1_600)
  }

  @Test("a waiting update runs earlier casts first, and throws on a stopped agent")
  func casts() async throws {
    let agent = Agent([Int](), name: "list")
    for i in 0..<10 { try agent.cast { $0.append(i) } }
    #expect(try await agent.fetchAndUpdateWhenFree { $0 } == Array(0..<10))
    _ = try agent.stop()
    await #expect(throws: AgentError.self) { try await agent.fetchAndUpdateWhenFree { _ in } }
    await #expect(throws: AgentError.self) { try await agent.fetchAndUpdateWhenFree { _ in } }
  }

  @Test("a waiting update that the validator rejects is rolled back, and the next one runs")
  func rejected() async throws {
    let agent = try Agent(1, name: "seats", validate: { $0 < 0 ? "no seat is left" : nil })
    await #expect(throws: AgentError.self) {
      try await agent.fetchAndUpdateWhenFree { $0 -= 2 }
    }
    try await agent.fetchAndUpdateWhenFree { $0 -= 1 }
    #expect(try agent.value == 0)
  }

  @Test("an update with a message returns after the message was delivered, on whichever thread")
  func telling() throws {
    let agent = Agent(0, name: "count")
    let (told, early) = (Counter(), Counter())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<200 {
        let here = Counter()
        let message = try? agent.fetchAndUpdate { count in
          count += 1
          return agent.tell {
            here.add()
            told.add()
          }
        }
        guard let message else { continue }
        agent.waitUntilTold(message)
        if here.count == 0 { early.add() }
      }
    }
    #expect(early.count == 0)
    #expect(told.count == 1_600)
  }
}

/// A counter for several threads, as one atomic number.
private final class Counter: Sendable {
  private let added = Atomic(0)
  var count: Int { added.load(ordering: .acquiring) }
  func add() { added.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

private enum Caller {
  @TaskLocal static var name: String?
}

/// A set of numbers, each of which may be added once.
private final class Seen: Sendable {
  private let numbers = Guarded<Set<Int>>([])
  func add(_ number: Int) -> Bool { numbers.withLock { $0.insert(number).inserted } }
}
