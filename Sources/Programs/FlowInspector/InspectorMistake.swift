/// The error of a request that an inspector cannot answer.
package struct InspectorMistake: Error, Sendable, CustomStringConvertible {
  /// The kind of a mistake.
  package enum Kind: Sendable {
    /// There is nothing of that name.
    case unknown
    /// The request is malformed.
    case bad
    /// The request cannot be met here.
    case conflict
    /// The requested data was dropped.
    case gone
  }

  package let kind: Kind
  /// The message, as a sentence.
  package let description: String

  init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
