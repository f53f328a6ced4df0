// Children see parents: the factories and capabilities of the scopes around, as far as two levels
// up without naming them. `parent.parent` leads further.

extension Scope.Instance where Parent: ScopeLevel {
  /// The instance that this one was opened in, without its private members.
  ///
  /// It can be read when this instance is closed, and is narrowed as this one is.
  public var parent: Scope<Parent.Key, Parent.Parent>.Instance {
    // Only `unlock` makes an instance of such a scope, so there always is a parent.
    Scope<Parent.Key, Parent.Parent>.Instance(any: any.parent ?? any)
  }

  /// Makes a new thing by a factory of the parent.
  ///
  /// Throws as for an own one, and when it is private.
  ///
  /// ```swift
  /// let images = try ada.make(imageLoader)
  /// ```
  public func make<Product>(_ factory: Factory<Parent, Product>) throws -> Product {
    try any.make(factory)
  }

  /// Calls a capability of the parent.
  ///
  /// Throws as for an own one, and when it is private.
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
  /// Makes a new thing by a factory of the parent's parent.
  ///
  /// Throws as for the parent's.
  ///
  /// ```swift
  /// let images = try message.make(imageLoader)
  /// ```
  public func make<Product>(_ factory: Factory<Parent.Parent, Product>) throws -> Product {
    try any.make(factory)
  }

  /// Calls a capability of the parent's parent.
  ///
  /// Throws as for the parent's.
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
