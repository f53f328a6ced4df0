import CExplore
import FlowKernel
import FlowTools

/// Why an exploration cannot begin, or cannot go on.
public struct ExplorationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of thing is in the way.
  public enum Kind: String, Sendable {
    /// What is to be explored is not said fully, or is said wrongly.
    case setup
    /// The flow does what cannot be explored.
    case flow
    /// There is no memory.
    case memory
    /// Somebody stopped what is done once the search is over.
    case stopped
    /// A decision that was learned is not what the flow does: it keeps something outside of its state.
    case impure
    /// A decision that was learned is not what the engine does: a fault of Moonlatch's own.
    case difference
  }

  /// What kind of thing is in the way.
  public let kind: Kind
  /// The sentence.
  public let description: String

  init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

  /// The flow fails with what it dispatches before anybody has asked for anything.
  init(beginning failure: DispatchFailure) {
    self.init(
      .flow, "what the flow begins with fails, so that there is no state to begin with: \(failure)")
  }

  /// Returns the error that names the functions which keep something outside of the state, where that may be why it
  /// came about.
  func explained(by locals: [ChangedLocal]) -> ExplorationError {
    guard kind == .impure || kind == .difference, !locals.isEmpty else { return self }
    return ExplorationError(
      .impure,
      locals.map(\.warning).joined(separator: "\n")
        + "\nIn one state it has done two things, so that nothing can be said of the flow.")
  }

  /// Throws unless the search says that all is well.
  static func check(_ status: explore_status) throws(ExplorationError) {
    switch status {
    case EXPLORE_OK, EXPLORE_STOPPED, EXPLORE_BOUNDED: return
    case EXPLORE_NO_MEMORY: throw ExplorationError(.memory, "there is no memory for more states")
    case EXPLORE_TOO_MANY:
      throw ExplorationError(
        .setup,
        "there are more than 65,535 actions with payloads, or more than 4 thousand million states")
    default:
      throw ExplorationError(
        .impure,
        "a run of the flow was not a function of what it looked at: it keeps something outside of its state, such as a "
          + "local that a function changes")
    }
  }
}
