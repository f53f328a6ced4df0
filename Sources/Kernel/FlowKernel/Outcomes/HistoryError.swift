/// The error of a move along the history, or of taking a state over into another version of its flow.
///
/// ```swift
/// do {
///   try host.undo(10)
/// } catch let error as HistoryError {
///   if case .outOfReach(let revisions) = error.kind { try host.go(to: revisions.lowerBound) }
/// }
/// ```
public struct HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason of the error.
  public enum Kind: Sendable, Hashable {
    /// The revision is out of reach; the history holds these revisions.
    case outOfReach(ClosedRange<Int>)
    /// The state does not fit the version of the flow that is to take it over.
    case unfit
  }

  /// The reason of the error.
  public let kind: Kind
  /// A sentence that describes the error.
  public let description: String

  package init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}
