// The factories and capabilities of the enclosing scopes, up to two levels, without naming the parent. `parent.parent`
// reaches further.

extension Scope.Instance where Parent: ScopeLevel {
  /// The instance in which this one was opened, without its private members.
  ///
  /// It can be read after this instance is closed. Its members are narrowed as this instance's are.
  public var parent: Scope<Parent.Key, Parent.Parent>.Instance {
    // Only `unlock` makes an instance of such a scope, so there always is a parent.
    Scope<Parent.Key, Parent.Parent>.Instance(any: any.parent ?? any)
  }

  /// Makes a new thing with a factory of the parent.
  ///
  /// Throws as for an own factory, and if the factory is private.
  ///
  /// ```swift
  /// let images = try ada.make(imageLoader)
  /// ```
  public func make<Product>(_ factory: Factory<Parent, Product>) throws -> Product {
    try any.make(factory)
  }

  /// Calls a capability of the parent.
  ///
  /// Throws as for an own capability, and if the capability is private.
  public func call<Input, Output>(
    _ capability: Capability<Parent, Input, Output>, with input: Input
  ) throws -> Output {
    try any.call(capability, input)
  }

  /// Lends a capability of the parent as a function, which throws once this instance is closed.
  public func lend<Input, Output>(
    _ capability: Capability<Parent, Input, Output>
  ) -> @Sendable (Input) throws -> Output {
    { [any] input in try any.call(capability, input) }
  }
}

extension Scope.Instance where Parent: ScopeLevel, Parent.Parent: ScopeLevel {
  /// Makes a new thing with a factory of the parent's parent.
  ///
  /// Throws as for a factory of the parent.
  ///
  /// ```swift
  /// let images = try message.make(imageLoader)
  /// ```
  public func make<Product>(_ factory: Factory<Parent.Parent, Product>) throws -> Product {
    try any.make(factory)
  }

  /// Calls a capability of the parent's parent.
  ///
  /// Throws as for a capability of the parent.
  public func call<Input, Output>(
    _ capability: Capability<Parent.Parent, Input, Output>, with input: Input
  ) throws -> Output {
    try any.call(capability, input)
  }

  /// Lends a capability of the parent's parent as a function, which throws once this instance is
  /// closed.
  public func lend<Input, Output>(
    _ capability: Capability<Parent.Parent, Input, Output>
  ) -> @Sendable (Input) throws -> Output {
    { [any] input in try any.call(capability, input) }
  }
}
