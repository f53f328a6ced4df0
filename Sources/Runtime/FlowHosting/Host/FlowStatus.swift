import FlowKernel
import LuaRuntime

/// The parts of a running flow that no view shows, read at one revision.
///
/// ```swift
/// let status = try await orders["o-17"].status()
/// print(status.machines["order"] ?? "", status.pendingWork)
/// ```
public struct FlowStatus: Sendable, Hashable {
  /// The revision: the number of commits so far.
  public let revision: Int
  /// The time on the flow's own clock, since the host began or the case was born.
  public let elapsed: Duration
  /// The state of every machine, by the machine's name.
  public let machines: [String: String]
  /// The passages that gatekeepers hold, in the order of declaration and of options.
  public let passages: [HeldPassage]
  /// The open scopes, root first and parents before their children.
  public let openScopes: [ScopeInstanceStatus]
  /// The work that follows by itself: queued actions, then timers in the order in which they are due, then
  /// effects that wait for an answer.
  public let pendingWork: [PendingWork]

  package init(
    revision: Int, elapsed: Duration, machines: [String: String], passages: [HeldPassage],
    openScopes: [ScopeInstanceStatus], pendingWork: [PendingWork]
  ) {
    (self.revision, self.elapsed, self.machines) = (revision, elapsed, machines)
    (self.passages, self.openScopes, self.pendingWork) = (passages, openScopes, pendingWork)
  }
}
