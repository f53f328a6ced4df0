import LuaRuntime

/// A rejected dispatch, as observers see it.
package struct RejectedDispatch: Sendable {
  /// The action's name, as it was dispatched.
  package let action: String
  package let payload: Value
  /// The user who dispatched it, if that was given.
  package let by: String?
  /// The revision of the commit whose effect or timer dispatched it; nil for a dispatch from outside.
  package let cause: Int?
  /// The time of the dispatch, in microseconds since the host began.
  package let microseconds: Int
  /// The revision at which it was rejected.
  package let revision: Int
  package let outcome: Outcome

  package init(
    action: String, payload: Value, by: String?, cause: Int?, microseconds: Int, revision: Int,
    outcome: Outcome
  ) {
    self.action = action
    self.payload = payload
    self.by = by
    self.cause = cause
    self.microseconds = microseconds
    self.revision = revision
    self.outcome = outcome
  }
}
