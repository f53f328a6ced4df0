extension ScopeInstance {
  /// Makes a new thing with the factory of that name, which may belong to the main actor.
  ///
  /// Throws as `make(_:)`.
  ///
  /// ```swift
  /// let screen = try user.make(onMainActor: "profile")
  /// ```
  @MainActor
  public func make(onMainActor name: String) throws -> Any {
    let (level, member) = try find(name)
    switch member.use {
    case .factory(let build): return try Making.run(name, of: level) { try build(level) }
    case .mainActorFactory(let build): return try Making.run(name, of: level) { try build(level) }
    case .capability, .lock: throw wrongKind(member, level)
    }
  }

  /// Makes a thing of the main actor in the instance of the scope that declares its factory.
  @MainActor
  func make<Owner, Product>(_ factory: MainActorFactory<Owner, Product>) throws -> Product {
    let level = try level(of: factory.plan, for: factory.name)
    return try Making.run(factory.name, of: level) { try factory.make(level) }
  }
}
