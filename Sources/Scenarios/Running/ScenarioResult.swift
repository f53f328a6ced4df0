import Moonlatch

/// How a scenario ended.
public enum ScenarioResult: Sendable {
  /// Every expectation held.
  case passed
  /// It says itself why it does not run.
  case skipped(String)
  /// An expectation did not hold.
  case failed(FailedExpectation)
  /// The flow or the file could not be loaded.
  case unloadable(String)
  /// The scenario's script raised an error of its own.
  case broken(BrokenScript)
}

/// An expectation that did not hold, with what a person needs to mend it.
public struct FailedExpectation: Sendable {
  /// Where it stands.
  public let place: Place
  /// What was expected and what was found, as a sentence.
  public let message: String
  /// The places that differ.
  public let mismatches: [Mismatch]
  /// The calls that led there, innermost first; empty where the script caught the failure.
  public internal(set) var traceback: [String]
  /// The last dispatches up to here, oldest first.
  public let steps: [Step]
}

/// An error in a scenario's own script.
public struct BrokenScript: Sendable {
  /// The error, with its place and traceback.
  public let error: ScriptError
  /// The last dispatches up to here, oldest first.
  public let steps: [Step]
}

/// One dispatch of a scenario.
public struct Step: Sendable {
  /// The action's name.
  public let action: String
  /// Its payload.
  public let payload: Value
  /// What it came to.
  public let outcome: Outcome
}

/// The last dispatches of a scenario, which may make millions.
struct RecentSteps {
  /// Oldest first.
  private(set) var latest: [Step] = []
  private static let kept = 5

  mutating func add(_ step: Step) {
    if latest.count == RecentSteps.kept { latest.removeFirst() }
    latest.append(step)
  }
}
