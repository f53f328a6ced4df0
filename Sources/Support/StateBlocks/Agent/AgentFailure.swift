/// An error that had no caller to go to: a cast or an observer threw it.
///
/// An agent hands it to the `report` closure that it was made with. Without one it is printed on
/// standard error.
///
/// ```swift
/// let counter = Agent(0, name: "counter", report: { failure in log.append(failure.description) })
/// ```
public struct AgentFailure: Error, Sendable, CustomStringConvertible {
  /// What the agent was doing.
  public enum Activity: String, Sendable {
    /// It ran a cast. The state stayed as it was before.
    case cast
    /// It told an observer of a change, which stands. The other observers were told all the same.
    case observer
  }

  /// The agent's name.
  public let agent: String
  /// For a cast, the revision that stayed; for an observer, the one it was told of.
  public let revision: Int
  /// What the agent was doing.
  public let activity: Activity
  /// What was thrown.
  public let error: any Error

  /// The failure as a sentence.
  public var description: String {
    switch activity {
    case .cast:
      return "a cast on agent \"\(agent)\" failed and left it at revision \(revision): \(error)"
    case .observer:
      return "an observer of agent \"\(agent)\" failed at revision \(revision): \(error)"
    }
  }
}
