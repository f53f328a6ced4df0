/// Why the history cannot be gone along, or a state cannot be taken over by another text of its flow.
///
/// ```swift
/// do {
///   try host.undo(10)
/// } catch let error as HistoryError {
///   if case .outOfReach(let revisions) = error.kind { try host.go(to: revisions.lowerBound) }
/// }
/// ```
public struct HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is in the way.
  public enum Kind: Sendable, Hashable {
    /// The history does not reach so far; it holds these revisions.
    case outOfReach(ClosedRange<Int>)
    /// What is there does not fit the text of the flow that is to take it over.
    case unfit
  }

  /// What is in the way.
  public let kind: Kind
  /// A sentence.
  public let description: String

  package init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}
