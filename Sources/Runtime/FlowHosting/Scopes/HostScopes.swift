import FlowKernel
import FlowLanguage
import LuaRuntime

/// Where a host says which of its functions the scopes of a flow lend to scripts.
///
/// ```swift
/// let host = try FlowHost(flow: url) { scopes in
///   scopes.root.provide("greet") { (name: String) in "hello \(name)" }
///   scopes["user"].provide("fetch") { (url: String) async throws -> Value in ... }
/// }
/// ```
public struct HostScopes: Sendable {
  package var capabilities = Capabilities()
  package var declared: [HostScopeDeclaration] = []

  package init() {}

  /// The scope that is always open.
  public var root: HostScope {
    get { self[ScopeDeclaration.root] }
    set { self[ScopeDeclaration.root] = newValue }
  }

  /// A scope that the flow declares, by name.
  ///
  /// One that it does not declare is a fault when the flow is loaded.
  public subscript(name: String) -> HostScope {
    get { HostScope(name: name, capabilities: capabilities) }
    set { capabilities = newValue.capabilities }
  }

  /// Declares a scope of the host's own, with the capabilities that it lends while it is open.
  ///
  /// ```swift
  /// let staff = KeyedScope("staff", key: Badge.self, actions: ["refund"])
  /// let host = try FlowHost(flow: url) { scopes in
  ///   scopes.declare(staff) { staff in
  ///     staff.provide("pay_out") { (badge: Badge, cents: Int) in till.pay(cents, badge) }
  ///   }
  /// }
  /// ```
  ///
  /// A name that the flow has for a scope of its own, a parent that is not declared, an action that is
  /// not declared or has an owner, are a `HostError` when the host is made or reloaded.
  public mutating func declare<Key>(
    _ scope: KeyedScope<Key>, _ members: (inout KeyedHostScope<Key>) -> Void = { _ in }
  ) {
    declared.append(scope.declaration)
    var builder = KeyedHostScope<Key>(name: scope.name, capabilities: capabilities)
    members(&builder)
    capabilities = builder.capabilities
  }
}

/// One scope's capabilities.
///
/// A capability is an ordinary closure of any number of arguments. They are read as its types, which
/// are `Decodable`, and what it gives back is `Encodable`; a wrong argument is an error in the script
/// that says which, by name where `parameters` has one for each. What the closure throws is raised
/// there, with the capability's name.
public struct HostScope {
  package let name: String
  package var capabilities: Capabilities

  /// Lends a function.
  ///
  /// ```swift
  /// scopes.root.provide("price", parameters: ["destination"]) { (destination: String) in 250 }
  /// ```
  public mutating func provide<
    each Argument: Decodable & Sendable, Result: Encodable & Sendable
  >(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (repeat each Argument) throws -> Result
  ) {
    let read: ArgumentReader<repeat each Argument> = reader(name, parameters)
    add(name) { _, values in try ValueEncoder.encode(body(repeat each read(values))) }
  }

  /// Lends a function that gives nothing back.
  public mutating func provide<each Argument: Decodable & Sendable>(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (repeat each Argument) throws -> Void
  ) {
    let read: ArgumentReader<repeat each Argument> = reader(name, parameters)
    add(name) { _, values in
      try body(repeat each read(values))
      return .nil
    }
  }

  /// Lends a function that answers later: the effect that calls it waits, and nothing else does.
  public mutating func provide<
    each Argument: Decodable & Sendable, Result: Encodable & Sendable
  >(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
  ) {
    let read: ArgumentReader<repeat each Argument> = reader(name, parameters)
    addLater(name) { _, values in try ValueEncoder.encode(await body(repeat each read(values))) }
  }

  /// Lends a function that ends later and gives nothing back.
  public mutating func provide<each Argument: Decodable & Sendable>(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Void
  ) {
    let read: ArgumentReader<repeat each Argument> = reader(name, parameters)
    addLater(name) { _, values in
      try await body(repeat each read(values))
      return .nil
    }
  }

  package mutating func add(
    _ name: String, _ body: @escaping @Sendable (any Sendable, [Value]) throws -> Value
  ) {
    capabilities.add(name, to: self.name, .now(body))
  }

  mutating func addLater(
    _ name: String, _ body: @escaping @Sendable (any Sendable, [Value]) async throws -> Value
  ) {
    capabilities.add(name, to: self.name, .later(body))
  }

  /// What reads the arguments of a function; a fault where its parameters are not as many as their names.
  package mutating func reader<each Argument>(
    _ name: String, _ parameters: [String]
  ) -> ArgumentReader<repeat each Argument> {
    let reader = ArgumentReader<repeat each Argument>(parameters: parameters)
    if let fault = reader.fault(of: "\(self.name).\(name)") { capabilities.fault(fault) }
    return reader
  }
}
