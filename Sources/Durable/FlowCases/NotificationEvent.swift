import FlowHosting
import FlowKernel
import LuaRuntime

/// An event of a notification: a commit, or entries that compaction has dropped before they were sent.
struct NotificationEvent: Sendable {
  /// The id, the same each time that the event is sent.
  let id: String
  let position: NotificationPosition
  /// The time of its entry, in microseconds since 1970; nil if the entry is gone.
  let wall: Int?
  let body: Value
}

/// A function that finds the next event of a notification in a case.
///
/// A structure, because a function that lies in a mutex by itself is wrapped once more by each access.
struct NotificationSource: Sendable {
  /// Returns the next event of a row; nil if no entry up to the last one to send has one.
  let next:
    @Sendable (_ task: OpenTask, _ caseID: String, NotificationRules) async throws ->
      NotificationEvent?
}
