/// Something that an inspector was asked and cannot answer.
package struct InspectorMistake: Error, Sendable, CustomStringConvertible {
  /// What kind of mistake it is.
  package enum Kind: Sendable {
    /// There is nothing of that name.
    case unknown
    /// The question makes no sense.
    case bad
    /// It cannot be done here.
    case conflict
    /// It is not there any more.
    case gone
  }

  package let kind: Kind
  /// A sentence.
  package let description: String

  init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
