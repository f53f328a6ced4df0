import FlowKernel
import FlowLanguage
import LuaRuntime

/// The functions that a host provides for the scopes of a flow to lend to scripts.
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
  /// A scope that the flow does not declare is a `HostError` when the host is made.
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
  /// The host throws a `HostError` when it is made or reloaded if the flow has a scope of that name, the
  /// parent is not declared, or an action is not declared or has an owner.
  public mutating func declare<Key>(
    _ scope: KeyedScope<Key>, _ members: (inout KeyedHostScope<Key>) -> Void = { _ in }
  ) {
    declared.append(scope.declaration)
    var builder = KeyedHostScope<Key>(name: scope.name, capabilities: capabilities)
    members(&builder)
    capabilities = builder.capabilities
  }
}

/// The capabilities of one scope.
///
/// A capability is an ordinary closure with any number of arguments. Arguments are decoded as the closure's
/// types, which are `Decodable`, and its result, which is `Encodable`, is encoded. A wrong argument raises an
/// error in the script that tells which one it is, by name if `parameters` has a name for each. An error that
/// the closure throws is raised in the script, with the capability's name.
public struct HostScope {
  package let name: String
  package var capabilities: Capabilities

  /// Lends a function to scripts.
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

  /// Lends a function that returns nothing.
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

  /// Lends an asynchronous function: only the effect that calls it waits for the answer.
  public mutating func provide<
    each Argument: Decodable & Sendable, Result: Encodable & Sendable
  >(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
  ) {
    let read: ArgumentReader<repeat each Argument> = reader(name, parameters)
    addLater(name) { _, values in try ValueEncoder.encode(await body(repeat each read(values))) }
  }

  /// Lends an asynchronous function that returns nothing.
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

  /// Lends a capability that is performed outside of the process: each call opens a task.
  package mutating func provide(_ name: String, _ task: TaskCapability) {
    capabilities.add(name, to: self.name, .task(task))
  }

  package mutating func add(
    _ name: String, _ body: @escaping @Sendable (any Sendable, [Value]) throws -> Value
  ) {
    capabilities.add(name, to: self.name, .now(body))
  }

  package mutating func addLater(
    _ name: String, _ body: @escaping @Sendable (any Sendable, [Value]) async throws -> Value
  ) {
    capabilities.add(name, to: self.name, .later(body))
  }

  /// Returns the reader of a function's arguments; adds a fault if there is not one name for each argument.
  package mutating func reader<each Argument>(
    _ name: String, _ parameters: [String]
  ) -> ArgumentReader<repeat each Argument> {
    let reader = ArgumentReader<repeat each Argument>(parameters: parameters)
    if let fault = reader.fault(of: "\(self.name).\(name)") { capabilities.fault(fault) }
    return reader
  }
}
