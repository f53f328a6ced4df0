/// A declared factory whose product belongs to the main actor, such as a view controller or a view model.
///
/// ```swift
/// let screen = try ada.make(profileViewController)  // on the main actor
/// ```
public struct MainActorFactory<Owner, Product>: Sendable {
  /// The name.
  public let name: String
  let plan: ScopePlan
  let make: @MainActor @Sendable (ScopeCore) throws -> Product
}
