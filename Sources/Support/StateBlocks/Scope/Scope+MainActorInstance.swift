// Making what belongs to the main actor: with the own factories, and with those of up to two enclosing scopes.

extension Scope.Instance {
  /// Makes a new thing of the main actor with one of the scope's own factories.
  ///
  /// Throws as for a factory that needs no actor.
  ///
  /// ```swift
  /// let screen = try ada.make(profileViewController)
  /// ```
  @MainActor
  public func make<Product>(
    _ factory: MainActorFactory<Scope<Key, Parent>, Product>
  ) throws -> Product {
    try any.make(factory)
  }
}

extension Scope.Instance where Parent: ScopeLevel {
  /// Makes a new thing of the main actor with a factory of the parent.
  ///
  /// Throws as for an own factory, and if the factory is private.
  @MainActor
  public func make<Product>(_ factory: MainActorFactory<Parent, Product>) throws -> Product {
    try any.make(factory)
  }
}

extension Scope.Instance where Parent: ScopeLevel, Parent.Parent: ScopeLevel {
  /// Makes a new thing of the main actor with a factory of the parent's parent.
  ///
  /// Throws as for a factory of the parent.
  @MainActor
  public func make<Product>(_ factory: MainActorFactory<Parent.Parent, Product>) throws -> Product {
    try any.make(factory)
  }
}
