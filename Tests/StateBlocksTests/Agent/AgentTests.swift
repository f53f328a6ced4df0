import StateBlocks
import Testing

@Suite("an agent")
struct AgentTests {
  @Test("has a description with name and revision, stopped or not, from anywhere")
  func description() throws {
    let counter = Agent(0, name: "counter")
    try counter.update { _ in #expect("\(counter)" == "agent \"counter\" at revision 0") }
    #expect("\(counter)" == "agent \"counter\" at revision 1")
    _ = try counter.stop()
    #expect("\(counter)" == "agent \"counter\" stopped at revision 1")
  }

  @Test("is named after its type and source location without a name of its own")
  func defaultName() {
    let agent = Agent([1])
    #expect(agent.name.hasPrefix("Agent<Array<Int>> at StateBlocksTests/AgentTests.swift:"))
  }

  @Test("rejects an initial state that its validator rejects")
  func firstState() throws {
    let rejected = AgentError.rejected(agent: "seats", revision: 0, reason: "no seat is left")
    #expect(throws: rejected) {
      try Agent(-1, name: "seats", validate: { $0 < 0 ? "no seat is left" : nil })
    }
  }

  @Test("releases its state when it is released, and already when it is stopped")
  func lifetime() throws {
    final class Tracked: Sendable {
      let log: Log<String>
      init(_ log: Log<String>) { self.log = log }
      deinit { log.append("freed") }
    }
    let log = Log<String>()
    do { _ = Agent(Tracked(log)) }
    #expect(log.all == ["freed"])
    do {
      let agent = Agent(Tracked(log))
      do { _ = try agent.stop() }
      #expect(log.all == ["freed", "freed"])
    }
    #expect(log.all == ["freed", "freed"])
  }
}
