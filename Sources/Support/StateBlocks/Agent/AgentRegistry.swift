/// A registry of agents by name.
///
/// A registered agent stays alive, and keeps its name, until it is stopped or removed.
///
/// ```swift
/// let registry = AgentRegistry()
/// try registry.register(Agent(0, name: "counter"))
/// try registry.agent("counter", of: Int.self).update { $0 += 1 }
/// ```
public final class AgentRegistry: Sendable {
  /// The registry of the process.
  public static let shared = AgentRegistry()

  private let lock = Lock()

  /// `nonisolated(unsafe)`: read and written only under `lock`.
  nonisolated(unsafe) private var agents: [String: any RegisteredAgent] = [:]

  /// Makes an empty registry.
  ///
  /// This cannot fail.
  public init() {}

  /// Registers an agent under its name and returns it.
  ///
  /// Throws `AgentError.nameTaken` if another running agent has the name, and `.stopped` if this agent was stopped.
  /// Registering an agent twice changes nothing.
  ///
  /// ```swift
  /// let counter = try AgentRegistry.shared.register(Agent(0, name: "counter"))
  /// ```
  @discardableResult
  public func register<State>(_ agent: Agent<State>) throws(AgentError) -> Agent<State> {
    if agent.isStopped { throw agent.stoppedError }
    let isTaken = lock.withLock {
      if let other = agents[agent.name], other !== agent, !other.isStopped { return true }
      agents[agent.name] = agent
      return false
    }
    if isTaken { throw .nameTaken(name: agent.name) }
    return agent
  }

  /// Returns the agent of that name.
  ///
  /// Throws `AgentError.unknownName`, with the nearest name, if there is none, and `.wrongState` if the agent holds a
  /// state of another type.
  ///
  /// ```swift
  /// let counter = try AgentRegistry.shared.agent("counter", of: Int.self)
  /// ```
  public func agent<State>(
    _ name: String, of state: State.Type = State.self
  ) throws(AgentError) -> Agent<State> {
    guard let found = running[name] else {
      throw .unknownName(name: name, nearest: NearestName.to(name, among: Array(running.keys)))
    }
    guard let agent = found as? Agent<State> else {
      throw .wrongState(name: name, holds: found.stateType, asked: "\(State.self)")
    }
    return agent
  }

  /// The names of all running agents, sorted.
  public var names: [String] { running.keys.sorted() }

  /// Removes an agent from the registry; the agent itself keeps working.
  ///
  /// Returns false if the agent was not registered. It never fails.
  ///
  /// ```swift
  /// AgentRegistry.shared.remove(counter)
  /// ```
  @discardableResult
  public func remove<State>(_ agent: Agent<State>) -> Bool {
    lock.withLock {
      guard let found = agents[agent.name], found === agent else { return false }
      agents[agent.name] = nil
      return true
    }
  }

  /// The registered agents that are not stopped.
  ///
  /// Reading it removes stopped agents from the registry.
  private var running: [String: any RegisteredAgent] {
    lock.withLock {
      agents = agents.filter { !$0.value.isStopped }
      return agents
    }
  }
}

/// The part of an agent that does not depend on the type of its state.
protocol RegisteredAgent: AnyObject, Sendable {
  var isStopped: Bool { get }
  var stateType: String { get }
}

extension Agent: RegisteredAgent {
  var stateType: String { "\(State.self)" }
}
