import FlowKernel
import LuaRuntime

/// Inspection of what a host holds beside the state.
extension FlowHost {
  /// The state of every machine, by the machine's name.
  ///
  /// ```swift
  /// if try host.machines["door"] == "opened" { ring() }
  /// ```
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public var machines: [String: String] {
    get throws { try use { $0.machineStates } }
  }

  /// Returns the state of a machine, or nil if the flow does not declare it.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public func machine(_ name: String) throws -> String? {
    try use { $0.machine(named: name)?.current }
  }

  /// The passages that gatekeepers hold, in the order of declaration and of options.
  ///
  /// ```swift
  /// print(try host.passages.map(\.gatekeeper))  // ["loading"]
  /// ```
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public var passages: [HeldPassage] {
    get throws { try use { $0.gatekeeperStatus.flatMap(\.held) } }
  }

  /// The open scopes, root first and parents before their children.
  ///
  /// Scopes that a script has unlocked by hand are not listed.
  ///
  /// ```swift
  /// print(try host.openScopes.map(\.name))  // ["root", "user"]
  /// ```
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public var openScopes: [ScopeInstanceStatus] {
    get throws { try use { $0.openScopes } }
  }

  /// The work that the host will do by itself: queued actions, then timers in the order in which they are
  /// due, then effects that wait for an answer.
  ///
  /// ```swift
  /// print(try host.pendingWork)  // [reminded is due at 60.0]
  /// ```
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public var pendingWork: [PendingWork] {
    get throws { try use { $0.pendingWork } }
  }

  /// The time on the host's clock since the host began, in whole microseconds.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public var elapsed: Duration {
    get throws { try use { .microseconds($0.time) } }
  }
}

extension FlowHost {
  /// Reads the host's engine, and blocks no thread.
  package func examine<Answer: Sendable>(
    _ look: @Sendable (Engine) throws -> Answer
  ) async throws -> Answer {
    try await useWhenFree { engine in Result { try look(engine) } }.get()
  }

  /// Reads the engine, for tools; `look` must not change it.
  package func examine<Answer: Sendable>(
    _ look: @Sendable (Engine) throws -> Answer
  ) throws -> Answer {
    try use { engine in Result { try look(engine) } }.get()
  }

  /// True if the host's clock moves by itself.
  package var clockMovesByItself: Bool { settings.options.clock.movesByItself }

  /// The loaded flow in use.
  package var flow: LoadedFlow { loaded.withLock { $0 } }
}

/// The status of an open scope.
public struct ScopeInstanceStatus: Sendable, Hashable {
  /// The scope's name.
  public let name: String
  /// The name of the parent scope; nil for root.
  public let parent: String?
  /// The key in the state that holds it open; nil for root, and for a scope that the host opened.
  public let key: Value?
  /// True if the host has opened it (`FlowInstance.open(_:with:)`).
  public let isHosts: Bool

  package init(name: String, parent: String?, key: Value?, isHosts: Bool) {
    (self.name, self.parent, self.key, self.isHosts) = (name, parent, key, isHosts)
  }
}
