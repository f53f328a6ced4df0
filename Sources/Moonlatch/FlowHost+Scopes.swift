/// Opening the scopes that the host has declared.
extension FlowHost {
  /// Opens a scope of the host's own, until it is closed or the scope around it is.
  ///
  /// What is open does not go back with the history, and is kept by a reload where the scope around it
  /// is open then too. A transcript holds that it was opened, not the key: where one is played on another host,
  /// the scope has a key that no capability gets to see.
  ///
  /// - Returns: what closes it.
  /// - Throws: `HostError` when the host has not declared it, it is open already, or the scope around it
  ///   is locked; `AgentError`.
  public func open<Key>(_ scope: KeyedScope<Key>, with key: Key) throws -> ScopeOpening {
    let key = HostKey(key)
    try use { engine in Result { try engine.open(scope.name, with: key) } }.get()
    return ScopeOpening(
      close: { [weak self] () throws(AgentError) in
        try self?.use { engine in
          engine.close(openedWith: key)
          engine.settle()
        }
      },
      isOpen: { [weak self] () throws(AgentError) in
        try self?.use { $0.isOpen(with: key) } ?? false
      })
  }
}

/// A scope that the host has opened.
public struct ScopeOpening: Sendable {
  private let end: @Sendable () throws(AgentError) -> Void
  private let ask: @Sendable () throws(AgentError) -> Bool

  init(
    close: @escaping @Sendable () throws(AgentError) -> Void,
    isOpen: @escaping @Sendable () throws(AgentError) -> Bool
  ) {
    (end, ask) = (close, isOpen)
  }

  /// Closes the scope, with those inside it: effects that wait there are stopped.
  ///
  /// Where it is closed already nothing happens.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public func close() throws(AgentError) { try end() }

  /// Whether it is still open.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var isOpen: Bool {
    get throws(AgentError) { try ask() }
  }
}
