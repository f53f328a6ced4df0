import StateBlocks
import Testing

@Suite("fetching from an agent")
struct AgentFetchTests {
  @Test("a fetch returns what its closure returns, optionals as they are, and changes nothing")
  func fetch() throws {
    let agent = Agent(["a", "b"])
    #expect(try agent.fetch { $0.count } == 2)
    #expect(try agent.fetch { $0.first { $0 == "c" } } == nil)
    #expect(try agent.snapshot == AgentSnapshot(value: ["a", "b"], revision: 0))
  }

  @Test("an error in a fetch is thrown, and the agent works afterwards")
  func throwing() throws {
    let agent = Agent(1)
    #expect(throws: Oops()) { try agent.fetch { _ in throw Oops() } }
    #expect(try agent.value == 1)
  }

  @Test("a state that is not Sendable stays inside, and a Sendable result is returned")
  func engine() throws {
    final class Engine { var turns = 0 }
    let agent = Agent(Engine())
    try agent.update { $0.turns += 2 }
    #expect(try agent.fetch { $0.turns } == 2)
    #expect(
      try agent.fetchAndUpdate {
        $0.turns += 1; return $0.turns
      } == 3)
    #expect(try agent.revision == 2)
  }

  @Test("a call from inside a fetch throws the chain of agents, and the agent works afterwards")
  func reentry() throws {
    let counter = Agent(1, name: "counter")
    let error = AgentError.reentrant(chain: ["counter", "counter"])
    #expect(throws: error) { try counter.fetch { _ in try counter.fetch { $0 } } }
    #expect(throws: error) { try counter.fetch { _ in try counter.update { $0 = 9 } } }
    #expect(throws: error) { try counter.fetch { _ in try counter.value } }
    #expect(throws: error) { try counter.fetch { _ in try counter.revision } }
    #expect(throws: error) { try counter.fetch { _ in try counter.flush() } }
    #expect(throws: error) { try counter.fetch { _ in try counter.stop() } }
    #expect(try counter.snapshot == AgentSnapshot(value: 1, revision: 0))
  }
}
