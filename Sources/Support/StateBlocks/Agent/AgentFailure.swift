/// An error of a cast or an observer, which no caller can receive.
///
/// An agent passes it to the `report` closure with which it was made. By default it is printed on standard error.
///
/// ```swift
/// let counter = Agent(0, name: "counter", report: { failure in log.append(failure.description) })
/// ```
public struct AgentFailure: Error, Sendable, CustomStringConvertible {
  /// The kind of work during which an agent met an error.
  public enum Activity: String, Sendable {
    /// A cast; the state stayed as it was before.
    case cast
    /// A call of an observer; the change stands, and the other observers were called all the same.
    case observer
  }

  /// The agent's name.
  public let agent: String
  /// The revision after the failure for a cast, and the revision of the change for an observer.
  public let revision: Int
  /// The work during which the error was thrown.
  public let activity: Activity
  /// The error.
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
