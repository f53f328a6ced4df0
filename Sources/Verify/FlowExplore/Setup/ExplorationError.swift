import CExplore
import FlowKernel
import FlowTools

/// An error that prevents or ends an exploration.
public struct ExplorationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The cause of an exploration error.
  public enum Kind: String, Sendable {
    /// The exploration is not fully described, or wrongly.
    case setup
    /// The flow does something that cannot be explored.
    case flow
    /// The memory is exhausted.
    case memory
    /// Work that follows the search was stopped.
    case stopped
    /// A learned decision differs from what the flow does: the flow keeps something outside of its state.
    case impure
    /// A learned decision differs from what the engine does: a bug in Moonlatch itself.
    case difference
  }

  /// The cause.
  public let kind: Kind
  /// The message, one or more sentences.
  public let description: String

  init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

  /// Creates an error for a flow whose first actions, dispatched before any external action, fail.
  init(beginning failure: DispatchFailure) {
    self.init(
      .flow, "the flow has no initial state, because this fails: \(failure)")
  }

  /// Returns an error that names the functions which keep something outside of the state, if they may be the cause.
  func explained(by locals: [ChangedLocal]) -> ExplorationError {
    guard kind == .impure || kind == .difference, !locals.isEmpty else { return self }
    return ExplorationError(
      .impure,
      locals.map(\.warning).joined(separator: "\n")
        + "\nThe flow has behaved differently in the same state, so the exploration has no result.")
  }

  /// Throws if the status of the search reports a failure.
  static func check(_ status: explore_status) throws(ExplorationError) {
    switch status {
    case EXPLORE_OK, EXPLORE_STOPPED, EXPLORE_BOUNDED: return
    case EXPLORE_NO_MEMORY:
      throw ExplorationError(.memory, "there is not enough memory for more states")
    case EXPLORE_TOO_MANY:
      throw ExplorationError(
        .setup,
        "there are more than 65,535 actions with payloads, or more than 4 billion states")
    default:
      throw ExplorationError(
        .impure,
        "a run of the flow did not depend on its state alone: the flow stores something outside of its state, such as a "
          + "local that a function changes")
    }
  }
}
