// Factories whose products belong to the main actor. They are declared and made without a hop: declaring needs no actor,
// and `make` is a function of the main actor, which the caller of such a factory is on.

extension Scope {
  /// Declares a factory whose closure runs on the main actor.
  ///
  /// The closure receives the instance, as that of `factory(_:private:_:)` does, and may use what belongs to the main
  /// actor. Only code of the main actor can make the product; other code awaits it.
  ///
  /// ```swift
  /// let profile = user.factory("profile", on: MainActor.self) { user in
  ///   ProfileViewController(user: try user.key)
  /// }
  /// ```
  @discardableResult
  public func factory<Product>(
    _ name: String, private isPrivate: Bool = false, on actor: MainActor.Type,
    _ build: @escaping @MainActor @Sendable (Instance) throws -> Product
  ) -> MainActorFactory<Scope, Product> {
    let make: @MainActor @Sendable (ScopeCore) throws -> Product = { core in
      try build(Instance(any: ScopeInstance(core: core)))
    }
    plan.declare(
      name, .factory, output: "\(Product.self)", isPrivate: isPrivate,
      .mainActorFactory { core in try make(core) })
    return MainActorFactory(name: name, plan: plan, make: make)
  }
}
