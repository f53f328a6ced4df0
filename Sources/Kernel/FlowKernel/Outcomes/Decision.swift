import FlowLanguage

/// The answer of one rule, gatekeeper, machine or scope to an action.
package struct Decision: Sendable, Hashable {
  /// The title of the declaration that decided, such as `gate push`.
  package let by: String
  /// True if it let the action pass.
  package let agreed: Bool
  /// The place of its declaration.
  package let place: SourcePlace

  package init(by: String, agreed: Bool, place: SourcePlace) {
    self.by = by
    self.agreed = agreed
    self.place = place
  }
}
