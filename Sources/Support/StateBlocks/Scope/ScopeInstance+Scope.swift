extension ScopeInstance {
  /// Makes a thing in the instance of the scope that declares its factory.
  func make<Owner, Product>(_ factory: Factory<Owner, Product>) throws -> Product {
    let level = try level(of: factory.plan, for: factory.name)
    return try Making.run(factory.name, of: level) { try factory.make(level) }
  }

  /// Calls a capability in the instance of the scope that declares it.
  func call<Owner, Input, Output>(
    _ capability: Capability<Owner, Input, Output>, _ input: Input
  ) throws -> Output {
    try capability.run(try level(of: capability.plan, for: capability.name), input)
  }
}
