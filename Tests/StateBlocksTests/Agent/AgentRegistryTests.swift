import StateBlocks
import Testing

@Suite("a registry of agents")
struct AgentRegistryTests {
  @Test("finds agents by name and type, and explains a wrong name")
  func finding() throws {
    let registry = AgentRegistry()
    let counter = try registry.register(Agent(0, name: "counter"))
    try registry.register(Agent("", name: "log"))
    #expect(try registry.agent("counter", of: Int.self) === counter)
    #expect(registry.names == ["counter", "log"])
    #expect(throws: AgentError.unknownName(name: "countre", nearest: "counter")) {
      try registry.agent("countre", of: Int.self)
    }
    #expect(throws: AgentError.wrongState(name: "log", holds: "String", asked: "Int")) {
      try registry.agent("log", of: Int.self)
    }
  }

  @Test("throws for a duplicate name, until the first agent is stopped or removed")
  func clash() throws {
    let registry = AgentRegistry()
    let first = try registry.register(Agent(0, name: "counter"))
    #expect(try registry.register(first) === first)
    let second = Agent(1, name: "counter")
    #expect(throws: AgentError.nameTaken(name: "counter")) { try registry.register(second) }
    _ = try first.stop()
    #expect(registry.names == [])
    #expect(throws: AgentError.stopped(agent: "counter", revision: 0)) {
      try registry.register(first)
    }
    #expect(try registry.register(second) === second)
    #expect(!registry.remove(first))
    #expect(registry.remove(second))
    #expect(registry.names == [])
  }

  @Test("keeps its agents alive")
  func keeping() throws {
    let registry = AgentRegistry()
    try registry.register(Agent(7, name: "lucky"))
    #expect(try registry.agent("lucky", of: Int.self).value == 7)
  }
}
