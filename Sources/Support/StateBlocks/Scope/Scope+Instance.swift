extension Scope {
  /// An instance of a scope, with types: the compiler rejects the use of a member whose key is missing.
  ///
  /// An instance lives as long as its holder, a child, or a function lent through it refers to it. It closes with its
  /// parent, by `close`, or when nothing refers to it any more.
  ///
  /// ```swift
  /// let ada = try app.unlock(user, with: User("ada"))
  /// let screen = try ada.make(profile)
  /// try ada.close(because: "log out")
  /// ```
  public struct Instance: Sendable {
    /// This instance as scripts see it, with its members by name.
    public let any: ScopeInstance

    /// The key that opened the instance.
    ///
    /// Throws `ScopeError.closed` if the instance is closed.
    public var key: Key {
      get throws(ScopeError) {
        try any.core.check("key")
        guard let key = any.core.key as? Key else {
          throw .foreign(scope: any.path, member: "key")
        }
        return key
      }
    }

    /// Makes a new thing with one of the scope's own factories.
    ///
    /// Throws `ScopeError.closed` if the instance is closed, `.circular` if the factory needs its own product,
    /// `.narrowed` if the factory is out of reach, and the factory's own errors.
    ///
    /// ```swift
    /// let screen = try ada.make(profile)
    /// ```
    public func make<Product>(_ factory: Factory<Scope, Product>) throws -> Product {
      try any.make(factory)
    }

    /// Calls one of the scope's own capabilities.
    ///
    /// Throws as `make` does.
    ///
    /// ```swift
    /// let greeting = try app.call(greet, with: "Ada")
    /// ```
    public func call<Input, Output>(
      _ capability: Capability<Scope, Input, Output>, with input: Input
    ) throws -> Output {
      try any.call(capability, input)
    }

    /// Opens the scope behind one of this scope's locks.
    ///
    /// Throws a `ScopeError` when this instance is closed, or the lock is out of reach.
    ///
    /// ```swift
    /// let ada = try app.unlock(user, with: User("ada"))
    /// ```
    public func unlock<ChildKey>(
      _ scope: Scope<ChildKey, Scope>, with key: ChildKey
    ) throws(ScopeError) -> Scope<ChildKey, Scope>.Instance {
      let level = try any.level(of: any.core.plan, for: scope.name)
      guard scope.plan.parent === level.plan else {
        throw .foreign(scope: any.path, member: scope.name)
      }
      return Scope<ChildKey, Scope>.Instance(any: try any.open(scope.plan, with: key))
    }

    /// Returns the same instance with only the named members in reach.
    ///
    /// See `ScopeInstance.only`.
    ///
    /// ```swift
    /// let lent = try app.only("images", "user")
    /// ```
    public func only(_ names: String...) throws(ScopeError) -> Instance {
      Instance(any: try any.only(names))
    }

    /// Lends a function for as long as the instance is open.
    ///
    /// The returned function calls it, and throws `ScopeError.closed` once the instance is closed. `lend` itself cannot
    /// fail.
    ///
    /// ```swift
    /// let snap = ada.lend { (zoom: Int) in try camera.snap(zoom) }
    /// ```
    public func lend<Input, Output>(
      _ function: @escaping @Sendable (Input) throws -> Output
    ) -> @Sendable (Input) throws -> Output {
      { [core = any.core] input in
        try core.check("what it lent")
        return try function(input)
      }
    }

    /// Lends an asynchronous function for as long as the instance is open.
    ///
    /// The returned function throws `ScopeError.closed` if the instance is closed, also if that happens before the
    /// result is there.
    ///
    /// ```swift
    /// let fetch = ada.lend { (url: String) in try await session.data(from: url) }
    /// ```
    public func lend<Input, Output>(
      _ function: @escaping @Sendable (Input) async throws -> Output
    ) -> @Sendable (Input) async throws -> Output {
      { [core = any.core] input in
        try core.check("what it lent")
        let output = try await function(input)
        try core.check("what it lent")
        return output
      }
    }

    /// Lends one of the scope's own capabilities as a function, which throws once the instance is closed.
    ///
    /// ```swift
    /// let greeter = app.lend(greet)
    /// print(try greeter("Ada"))
    /// ```
    public func lend<Input, Output>(
      _ capability: Capability<Scope, Input, Output>
    ) -> @Sendable (Input) throws -> Output {
      { [any] input in try any.call(capability, input) }
    }

    /// Registers a closure that runs when the instance closes.
    ///
    /// See `ScopeInstance.defer`.
    ///
    /// ```swift
    /// try ada.defer { connection.hangUp() }
    /// ```
    public func `defer`(_ cleanUp: @escaping @Sendable () throws -> Void) throws(ScopeError) {
      try any.defer(cleanUp)
    }

    /// Closes the instance, its children first.
    ///
    /// See `ScopeInstance.close`.
    ///
    /// ```swift
    /// try ada.close(because: "log out")
    /// ```
    @discardableResult
    public func close(because reason: String? = nil) throws(ScopeError) -> Bool {
      try any.close(because: reason)
    }

    /// True if the instance is closed.
    public var isClosed: Bool { any.isClosed }
  }
}

extension Scope.Instance: CustomStringConvertible {
  /// The path, with the mark "(closed)" if the instance is closed.
  public var description: String { any.description }
}
