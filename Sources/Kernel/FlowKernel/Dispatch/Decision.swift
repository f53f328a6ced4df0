import FlowLanguage

/// What one of those whom an action asks said of it.
package struct Decision: Sendable, Hashable {
  /// Who was asked: `gate push`.
  package let by: String
  /// Whether it let the action pass.
  package let agreed: Bool
  /// Where it is declared.
  package let place: SourcePlace

  package init(by: String, agreed: Bool, place: SourcePlace) {
    self.by = by
    self.agreed = agreed
    self.place = place
  }
}
