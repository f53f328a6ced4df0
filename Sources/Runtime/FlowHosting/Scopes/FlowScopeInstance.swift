import FlowKernel
import LuaRuntime

/// An instance of a scope that was opened by a host (`HostScopeInstance`), or in a case of many.
///
/// ```swift
/// func refund(_ cents: Int, in order: some FlowInstance, by badge: Badge) async throws -> Outcome {
///   let staff = try await order.open(staff, with: badge)
///   let outcome = try await staff.dispatch("refund", ["cents": .integer(cents)])
///   try await staff.close()
///   return outcome
/// }
/// ```
public protocol FlowScopeInstance: Sendable {
  /// Dispatches an action through this scope instance, and runs what its effects dispatch.
  ///
  /// The effects of an action of the scope run in this instance, whatever other keys hold the scope open, and
  /// so does all that follows from them. Other actions are dispatched as by the host itself. Once the
  /// instance is closed, every action is refused.
  ///
  /// - Throws: an error of the host or the journal. An error in the flow is an outcome, not a thrown error.
  @discardableResult
  func dispatch(_ action: String, _ payload: Value) async throws -> Outcome

  /// Closes the scope instance and the scopes inside it; effects that wait there are stopped.
  ///
  /// Does nothing if it is closed already.
  ///
  /// - Throws: as `dispatch(_:_:)`.
  func close() async throws

  /// True if the scope instance is still open.
  ///
  /// - Throws: as `dispatch(_:_:)`.
  var isOpen: Bool { get async throws }
}
