import StateBlocks
import Testing

@Suite("a suspending agent")
struct SuspendingAgentTests {
  @Test("runs in the order of the mailbox, and returns after the observers were notified")
  func order() async throws {
    let list = Agent([String]())
    let told = Log<Int>()
    try list.subscribe { told.append($0.revision) }
    try list.cast { $0.append("cast") }
    let count = try await list.suspending.fetchAndUpdate { list in
      list.append("update")
      return list.count
    }
    #expect(count == 2)
    #expect(told.all == [1, 2])
    try await list.suspending.update { $0.append("third") }
    #expect(try await list.suspending.value == ["cast", "update", "third"])
    try list.cast { $0.append("fourth") }
    try await list.suspending.flush()
    #expect(told.all == [1, 2, 3, 4])
  }

  @Test("throws the error of its closure, and then changes nothing")
  func throwing() async throws {
    let counter = Agent(1)
    await #expect(throws: Oops()) {
      try await counter.suspending.update { count in
        count = 9
        throw Oops()
      }
    }
    await #expect(throws: Oops()) { try await counter.suspending.fetch { _ in throw Oops() } }
    #expect(try counter.snapshot == AgentSnapshot(value: 1, revision: 0))
  }

  @Test("throws for a rejected state, a full mailbox and a stopped agent")
  func refusals() async throws {
    let seats = try Agent(1, name: "seats", validate: { $0 < 0 ? "none left" : nil })
    await #expect(throws: AgentError.rejected(agent: "seats", revision: 0, reason: "none left")) {
      try await seats.suspending.update { $0 -= 2 }
    }
    _ = try seats.stop()
    await #expect(throws: AgentError.stopped(agent: "seats", revision: 0)) {
      try await seats.suspending.flush()
    }
    let full = Agent(0, name: "full", mailboxLimit: 1)
    let (began, go) = (Signal(), Signal())
    try full.cast { _ in
      began.send()
      go.wait()
    }
    began.wait()
    try full.cast { $0 += 1 }
    await #expect(throws: AgentError.mailboxFull(agent: "full", depth: 1)) {
      try await full.suspending.flush()
    }
    go.send()
    #expect(try full.value == 1)
  }

  @Test("blocks no thread while another closure runs: a thousand can wait at once")
  func manyWaiters() async throws {
    let counter = Agent(0)
    let (began, go) = (Signal(), Signal())
    try counter.cast { _ in
      began.send()
      go.wait()
    }
    began.wait()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 { group.addTask { try await counter.suspending.update { $0 += 1 } } }
      group.addTask { go.send() }
      try await group.waitForAll()
    }
    #expect(try counter.value == 1000)
  }
}
