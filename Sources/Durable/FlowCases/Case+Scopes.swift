import FlowHosting
import FlowKernel
import LuaRuntime

/// Opens the scopes that the host has declared, in a case.
extension Case {
  /// Opens a scope that the host declared, until it or its parent scope is closed.
  ///
  /// ```swift
  /// let staff = KeyedScope("staff", key: Badge.self, actions: ["refund"])
  /// let orders = try await Cases(of: flow, in: journal) { scopes in scopes.declare(staff) }
  /// let ann = try await orders["o-17"].open(staff, with: Badge(name: "Ann"))
  /// try await ann.dispatch("refund", ["cents": 250])
  /// try await ann.close()
  /// ```
  ///
  /// The key exists in memory only: the case stays awake as long as the scope is open. The scope is closed when
  /// the cases are closed, when another node takes the case over, and when the journal has failed and the case
  /// is restored as it is stored.
  ///
  /// - Returns: the scope instance, which closes it, and through which actions are dispatched with just this key.
  /// - Throws: `HostError` if the cases have not declared the scope, it is already open with an equal key, or
  ///   its parent scope is locked; as `dispatch(_:_:by:)`; `JournalError` of the kind `fenced` if another node
  ///   holds the case.
  public func open<Key>(
    _ scope: KeyedScope<Key>, with key: Key
  ) async throws -> CaseScopeInstance {
    let (name, key) = (scope.name, HostKey(key))
    try expectHere()
    try await cases.use(id) { host in
      try expectLife(of: host)
      try await host.openWhenFree(name, with: key)
    }
    return CaseScopeInstance(scope: name, key: key, in: self)
  }

  /// Dispatches an action through a scope instance that was opened with a key.
  func dispatch(
    _ action: String, _ payload: Value, through key: HostKey, of scope: String
  ) async throws -> Outcome {
    try expectHere()
    return try await cases.use(id) { host in
      let outcome = try await host.useWhenFree { engine in
        Result {
          try expectLife(of: host)
          return engine.dispatch(action, payload, through: key, of: scope)
        }
      }.get()
      if !outcome.isPassed { try await expectRight(of: host) }
      try await reportRejection(outcome, of: action, payload, by: nil, on: host)
      return outcome
    }
  }
}

/// An instance of a scope that was opened in a case.
public struct CaseScopeInstance: FlowScopeInstance {
  private let scope: String
  private let key: HostKey
  private let instance: Case

  init(scope: String, key: HostKey, in instance: Case) {
    (self.scope, self.key, self.instance) = (scope, key, instance)
  }

  /// Dispatches an action through this scope instance, and returns once its turn is stored.
  ///
  /// The effects of an action of the scope run in this instance, whatever other keys hold the scope open, and
  /// so does all that follows from them. Other actions are dispatched as by `Case.dispatch(_:_:by:)`. Once the
  /// instance is closed, every action is refused.
  ///
  /// - Throws: as `Case.open(_:with:)`.
  @discardableResult
  public func dispatch(_ action: String, _ payload: Value = [:]) async throws -> Outcome {
    try await instance.dispatch(action, payload, through: key, of: scope)
  }

  /// Dispatches an action with a payload of a Swift type through this scope instance.
  ///
  /// - Throws: as `dispatch(_:_:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: some Encodable, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Outcome {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try await dispatch(action, value)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Dispatches an action with a payload whose fields are of several Swift types through this scope instance.
  ///
  /// - Throws: as `dispatch(_:_:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: KeyValuePairs<String, any Encodable>,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Outcome {
    try await dispatch(action, WrittenPayload(fields: payload), isolation: isolation)
  }

  /// Closes the scope instance and the scopes inside it; effects that wait there are stopped.
  ///
  /// Does nothing if it is closed already, and does not activate the case.
  ///
  /// - Throws: `JournalError` if the turn could not be stored.
  public func close() async throws {
    let key = key
    _ = try await instance.cases.useIfAwake(instance.id) { host in
      try await host.useWhenFree { engine in
        engine.close(openedWith: key)
        engine.settle()
      }
    }
  }

  /// True if the scope instance is still open; does not activate the case.
  ///
  /// - Throws: `JournalError` if earlier turns could not be stored.
  public var isOpen: Bool {
    get async throws {
      let key = key
      return try await instance.cases.useIfAwake(instance.id) { host in
        try await host.useWhenFree { $0.isOpen(with: key) }
      } ?? false
    }
  }
}
