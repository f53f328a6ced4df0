/// A declared scope, whatever its key.
///
/// `Scope` is the only one.
///
/// It lets an instance's `parent` have the parent's type.
public protocol ScopeLevel: SendableMetatype {
  /// The type of the key.
  associatedtype Key: Sendable
  /// The scope that this one is behind a lock of, or `NoParent`.
  associatedtype Parent
}

/// Stands where a root scope's parent would.
public enum NoParent {}

/// A declared factory: the name under which an instance makes a thing, with its type.
///
/// ```swift
/// let screen = try ada.make(profile)
/// ```
public struct Factory<Owner, Product>: Sendable {
  /// The name.
  public let name: String
  let plan: ScopePlan
  let make: @Sendable (ScopeCore) throws -> Product
}

/// A declared capability: the name under which an instance lends a function, with its types.
///
/// ```swift
/// let greeting = try app.call(greet, with: "Ada")
/// ```
public struct Capability<Owner, Input, Output>: Sendable {
  /// The name.
  public let name: String
  let plan: ScopePlan
  let run: @Sendable (ScopeCore, Input) throws -> Output
}
