import FlowKernel
import LuaRuntime

/// Opens the scopes that the host has declared.
extension FlowHost {
  /// Opens a scope that the host declared, until it or its parent scope is closed.
  ///
  /// A scope may be open with several keys at a time, each a scope instance of its own. Time travel neither
  /// opens nor closes it. A reload keeps it open if its parent scope is open then, too. A transcript records
  /// that it was opened, but not the key: if it is replayed on another host, the scope has a key that no
  /// capability can read.
  ///
  /// - Returns: the scope instance, which closes it, and through which actions are dispatched with just this key.
  /// - Throws: `HostError` if the host has not declared the scope, it is already open with an equal key, or
  ///   its parent scope is locked; `AgentError`.
  public func open<Key>(_ scope: KeyedScope<Key>, with key: Key) throws -> HostScopeInstance {
    let key = HostKey(key)
    try use { engine in self.open(scope.name, with: key, engine) }.get()
    return HostScopeInstance(scope: scope.name, key: key, hostName: id) { [weak self] in self }
  }

  /// Opens a scope that the host declared, as the synchronous `open(_:with:)` does, and blocks no thread.
  ///
  /// - Returns: the scope instance.
  /// - Throws: as the synchronous `open(_:with:)`; `JournalError` if the journal cannot store the turn.
  public func open<Key>(
    _ scope: KeyedScope<Key>, with key: Key
  ) async throws -> HostScopeInstance {
    let key = HostKey(key)
    try await openWhenFree(scope.name, with: key)
    return HostScopeInstance(scope: scope.name, key: key, hostName: id) { [weak self] in self }
  }

  /// Opens a scope that the host declared, and blocks no thread.
  package func openWhenFree(_ scope: String, with key: HostKey) async throws {
    try await useWhenFree { engine in self.open(scope, with: key, engine) }.get()
  }

  private func open(
    _ scope: String, with key: HostKey, _ engine: Engine
  ) -> Result<Void, HostError> {
    do throws(HostError) {
      try engine.open(scope, with: key)
      return .success(())
    } catch {
      return .failure(settings.ours(error))
    }
  }
}

/// An instance of a scope that a host has opened.
public struct HostScopeInstance: FlowScopeInstance {
  private let scope: String
  private let key: HostKey
  private let hostName: String
  /// Returns the host, which the instance does not keep alive.
  private let host: @Sendable () -> FlowHost?

  package init(
    scope: String, key: HostKey, hostName: String, host: @escaping @Sendable () -> FlowHost?
  ) {
    (self.scope, self.key, self.hostName, self.host) = (scope, key, hostName, host)
  }

  /// Dispatches an action through this scope instance, and runs what its effects dispatch.
  ///
  /// The effects of an action of the scope run in this instance, whatever other keys hold the scope open, and
  /// so does all that follows from them. Other actions are dispatched as by the host itself. Once the
  /// instance is closed, every action is refused.
  ///
  /// ```swift
  /// let ann = try host.open(till, with: Badge(name: "Ann"))
  /// let bob = try host.open(till, with: Badge(name: "Bob"))
  /// try ann.dispatch("refund", ["cents": 250])  // paid out with Ann's badge
  /// ```
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @discardableResult
  public func dispatch(_ action: String, _ payload: Value = [:]) throws -> Outcome {
    let (key, scope) = (key, scope)
    return try reach().use { $0.dispatch(action, payload, through: key, of: scope) }
  }

  /// Dispatches an action through this scope instance, and blocks no thread.
  ///
  /// Otherwise as the synchronous `dispatch(_:_:)`.
  ///
  /// - Throws: `AgentError` if the host was stopped; `JournalError` if the journal cannot store the turn.
  @discardableResult
  public func dispatch(_ action: String, _ payload: Value = [:]) async throws -> Outcome {
    let (key, scope) = (key, scope)
    return try await reach().useWhenFree {
      $0.dispatch(action, payload, through: key, of: scope)
    }
  }

  /// Dispatches an action with a payload of a Swift type through this scope instance.
  ///
  /// Otherwise as `dispatch(_:_:)` with a plain payload. A payload that cannot be encoded is a failure of
  /// kind `payload`.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: some Encodable
  ) throws -> Outcome {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try dispatch(action, value)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Dispatches an action with a payload whose fields are of several Swift types through this scope instance.
  ///
  /// Otherwise as `FlowHost.dispatch(_:_:)` with such a payload.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>
  ) throws -> Outcome {
    try dispatch(action, WrittenPayload(fields: payload))
  }

  private func reach() throws -> FlowHost {
    guard let host = host() else { throw AgentError.stopped(agent: hostName, revision: 0) }
    return host
  }

  /// Closes the scope instance and the scopes inside it; effects that wait there are stopped.
  ///
  /// Does nothing if it is closed already.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public func close() throws {
    try host()?.use { engine in
      engine.close(openedWith: key)
      engine.settle()
    }
  }

  /// Closes the scope instance and the scopes inside it, as the synchronous `close` does, and blocks no thread.
  ///
  /// - Throws: `AgentError` if the host was stopped; `JournalError` if the journal cannot store the turn.
  public func close() async throws {
    let key = key
    try await host()?.useWhenFree { engine in
      engine.close(openedWith: key)
      engine.settle()
    }
  }

  /// True if the scope instance is still open; false once the host has been released.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public var isOpen: Bool {
    get throws { try host()?.use { $0.isOpen(with: key) } ?? false }
  }
}
