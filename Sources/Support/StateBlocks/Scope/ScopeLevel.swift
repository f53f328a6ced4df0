/// A declared scope with a key of any type.
///
/// `Scope` is the only conforming type. The protocol gives the `parent` of an instance its type.
public protocol ScopeLevel: SendableMetatype {
  /// The type of the key.
  associatedtype Key: Sendable
  /// The enclosing scope, which has the lock of this one, or `NoParent` for a root.
  associatedtype Parent
}

/// The parent type of a root scope, which has no parent.
public enum NoParent {}

/// A declared factory: the name and the product type with which an instance makes a thing.
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

/// A declared capability: the name and the types with which an instance lends a function.
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
