import FlowKernel
import LuaRuntime

/// Looking at what stands beside the state.
extension FlowHost {
  /// The state of every machine, by the machine's name.
  ///
  /// ```swift
  /// if try host.machines["door"] == "opened" { ring() }
  /// ```
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var machines: [String: String] {
    get throws { try use { $0.machineStates } }
  }

  /// The state of a machine; nil for one that the flow does not declare.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public func machine(_ name: String) throws -> String? {
    try use { $0.machine(named: name)?.current }
  }

  /// The passages that gatekeepers hold, in the order of declaration and of options.
  ///
  /// ```swift
  /// print(try host.passages.map(\.gatekeeper))  // ["loading"]
  /// ```
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var passages: [HeldPassage] {
    get throws { try use { $0.gatekeeperStatus.flatMap(\.held) } }
  }

  /// The scopes that are open, parents before their children, root being the first.
  ///
  /// What a script has unlocked by hand is not among them.
  ///
  /// ```swift
  /// print(try host.openScopes.map(\.name))  // ["root", "user"]
  /// ```
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var openScopes: [ScopeInstanceStatus] {
    get throws { try use { $0.openScopes } }
  }

  /// What the host is still to do by itself: what is queued, then what is due, in order, then the
  /// effects that wait for an answer.
  ///
  /// ```swift
  /// print(try host.pendingWork)  // [reminded is due at 60.0]
  /// ```
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var pendingWork: [PendingWork] {
    get throws { try use { $0.pendingWork } }
  }

  /// What the host's clock shows: the time since it began, in whole microseconds.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var elapsed: Duration {
    get throws { try use { .microseconds($0.time) } }
  }
}

extension FlowHost {
  /// Looks at the host's engine, and blocks no thread.
  package func examine<Answer: Sendable>(
    _ look: @Sendable (Engine) throws -> Answer
  ) async throws -> Answer {
    try await useWhenFree { engine in Result { try look(engine) } }.get()
  }

  /// Looks at the engine, for tools: nothing may be changed.
  package func examine<Answer: Sendable>(
    _ look: @Sendable (Engine) throws -> Answer
  ) throws -> Answer {
    try use { engine in Result { try look(engine) } }.get()
  }

  /// True if the host's time goes by itself.
  package var clockMovesByItself: Bool { settings.options.clock.movesByItself }

  /// The flow's text that is at work.
  package var flow: LoadedFlow { loaded.withLock { $0 } }
}

/// A scope that is open.
public struct ScopeInstanceStatus: Sendable, Hashable {
  /// The scope's name.
  public let name: String
  /// The scope inside which it lies; nil for root.
  public let parent: String?
  /// The key in the state that holds it open; nil for root, and for a scope of the host's own.
  public let key: Value?
  /// Whether the host has opened it (`FlowHost.open(_:with:)`).
  public let isHosts: Bool
}
