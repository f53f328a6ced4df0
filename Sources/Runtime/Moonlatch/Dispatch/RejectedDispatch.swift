import LuaRuntime

/// An action that was offered and did not pass, as those are told who look on.
package struct RejectedDispatch: Sendable {
  /// The action, as it was offered.
  package let action: String
  package let payload: Value
  /// Who offered it, if that was said.
  package let by: String?
  /// The transition whose effect or timer offered it; nil from outside.
  package let cause: Int?
  /// When, in microseconds since the host began.
  package let microseconds: Int
  /// The revision at which it did not pass.
  package let revision: Int
  package let outcome: Outcome
}
