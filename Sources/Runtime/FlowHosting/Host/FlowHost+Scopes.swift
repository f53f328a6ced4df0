import FlowKernel
import LuaRuntime

/// Opening the scopes that the host has declared.
extension FlowHost {
  /// Opens a scope of the host's own, until it is closed or the scope around it is.
  ///
  /// It may be open with several keys at a time, each an opening of its own. What is open does not go back
  /// with the history, and is kept by a reload where the scope around it is open then too. A transcript holds
  /// that it was opened, not the key: where one is played on another host, the scope has a key that no
  /// capability gets to see.
  ///
  /// - Returns: what closes it, and through which actions are dispatched with just this key.
  /// - Throws: `HostError` when the host has not declared it, it is open already with an equal key, or the
  ///   scope around it is locked; `AgentError`.
  public func open<Key>(_ scope: KeyedScope<Key>, with key: Key) throws -> HostScopeInstance {
    let key = HostKey(key)
    try use { [settings] engine in
      Result { () throws(HostError) in
        do throws(HostError) {
          try engine.open(scope.name, with: key)
        } catch {
          throw settings.ours(error)
        }
      }
    }.get()
    return HostScopeInstance(scope: scope.name, key: key, hostName: id) { [weak self] in self }
  }
}

/// A scope that the host has opened.
public struct HostScopeInstance: Sendable {
  private let scope: String
  private let key: HostKey
  private let hostName: String
  /// It does not keep the host alive.
  private let host: @Sendable () -> FlowHost?

  package init(
    scope: String, key: HostKey, hostName: String, host: @escaping @Sendable () -> FlowHost?
  ) {
    (self.scope, self.key, self.hostName, self.host) = (scope, key, hostName, host)
  }

  /// Offers an action through this opening, and runs what its effects dispatch.
  ///
  /// An action of the scope has its effects run in this opening, whatever other keys hold the scope open,
  /// and so has all that follows from them. Others are offered as by the host itself. Once the opening is
  /// closed every action is refused.
  ///
  /// ```swift
  /// let ann = try host.open(till, with: Badge(name: "Ann"))
  /// let bob = try host.open(till, with: Badge(name: "Bob"))
  /// try ann.dispatch("refund", ["cents": 250])  // paid out with Ann's badge
  /// ```
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @discardableResult
  public func dispatch(_ action: String, _ payload: Value = [:]) throws -> Outcome {
    let (key, scope) = (key, scope)
    return try reach().use { $0.dispatch(action, payload, through: key, of: scope) }
  }

  /// Offers an action with a payload of a Swift type through this opening.
  ///
  /// Otherwise as `dispatch(_:_:)` with a plain payload; one that cannot be encoded is a failure of kind
  /// `payload`.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: some Encodable
  ) throws -> Outcome {
    switch try reach().encoded(payload, for: action) {
    case .success(let value): try dispatch(action, value)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Offers an action with a payload whose fields are of several Swift types through this opening.
  ///
  /// Otherwise as `FlowHost.dispatch(_:_:)` with such a payload.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
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

  /// Closes the scope, with those inside it: effects that wait there are stopped.
  ///
  /// Where it is closed already nothing happens.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public func close() throws {
    try host()?.use { engine in
      engine.close(openedWith: key)
      engine.settle()
    }
  }

  /// Whether it is still open.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var isOpen: Bool {
    get throws { try host()?.use { $0.isOpen(with: key) } ?? false }
  }
}
