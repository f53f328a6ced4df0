/// A case that could not take over a reloaded flow.
///
/// It keeps running the old text as long as it is awake. The next activation tries again, and throws this error
/// if the case still does not fit.
public struct CaseReloadFailure: Error, Sendable, CustomStringConvertible {
  /// The case's id.
  public let id: String
  /// The error: a `HistoryError`, `DispatchFailure`, `ScriptError`, `HostError` or `JournalError`.
  public let error: any Error

  /// A sentence with the id and the error.
  public var description: String { "case \(id) keeps the old flow: \(error)" }
}
