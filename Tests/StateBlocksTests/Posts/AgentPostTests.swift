import StateBlocks
import Testing

/// The three operations of the post on `SimpleAgent`, as the post describes them.
@Suite("the post on a simple agent") struct AgentPostTests {
  private struct Queue: Sendable {
    let waiting: [String]
  }

  @Test(
    "fetch returns a part of the state, update sets a new one, fetchAndUpdate does both at once")
  func operations() throws {
    let agent = Agent(Queue(waiting: ["a", "b"]))
    let first = try agent.fetch { $0.waiting.first }
    #expect(first == "a")
    try agent.update { $0 = Queue(waiting: $0.waiting + ["c"]) }
    let next = try agent.fetchAndUpdate { state in
      defer { state = Queue(waiting: Array(state.waiting.dropFirst())) }
      return state.waiting.first
    }
    #expect(next == "a")
    #expect(try agent.value.waiting == ["b", "c"])
  }

  @Test("an update that the caller need not wait for is a cast, and a later fetch sees it")
  func cast() throws {
    let agent = Agent(Queue(waiting: []))
    try agent.cast { $0 = Queue(waiting: ["a"]) }
    #expect(try agent.fetch { $0.waiting } == ["a"])
  }

  @Test("calls that hang or crash with the agent of the post are errors here")
  func reentrant() throws {
    let agent = Agent(1, name: "agent")
    let error = #expect(throws: AgentError.self) {
      try agent.fetch { _ in try agent.fetch { $0 } }
    }
    #expect(error.map { "\($0)" }?.contains("agent → agent") == true)
    #expect(try agent.value == 1)
  }
}
