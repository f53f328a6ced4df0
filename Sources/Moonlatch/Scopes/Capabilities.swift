import LuaRuntime

/// The host's functions that scopes lend to scripts, by scope and name.
package struct Capabilities: Sendable {
  /// What a capability does with its arguments.
  package enum Body: Sendable {
    case now(@Sendable ([Value]) throws -> Value)
    case later(@Sendable ([Value]) async throws -> Value)
  }

  private var bodies: [String: [String: Body]] = [:]

  package init() {}

  package mutating func add(_ name: String, to scope: String, _ body: Body) {
    bodies[scope, default: [:]][name] = body
  }

  package func body(_ name: String, in scope: String) -> Body? { bodies[scope]?[name] }

  /// The scopes that have any.
  var scopes: [String] { bodies.keys.sorted() }

  package func names(in scope: String) -> [String] { (bodies[scope] ?? [:]).keys.sorted() }
}
