import FlowKernel
import FlowLanguage
import LuaRuntime

/// The result of a scenario.
package enum ScenarioResult: Sendable {
  /// Every expectation held.
  case passed
  /// The scenario says itself why it does not run.
  case skipped(String)
  /// An expectation did not hold.
  case failed(FailedExpectation)
  /// The flow or the file could not be loaded.
  case unloadable(String)
  /// The scenario's script raised an error of its own.
  case broken(BrokenScript)
}

/// An expectation that did not hold, with what a person needs to fix it.
package struct FailedExpectation: Sendable {
  /// The place of the expectation.
  package let place: SourcePlace
  /// A sentence that says what was expected and what was found.
  package let message: String
  /// The paths at which the expected and the found value differ.
  package let mismatches: [Mismatch]
  /// The calls that led to the expectation, innermost first; empty if the script caught the failure.
  package internal(set) var traceback: [String]
  /// The decisions by which the action that the expectation is about passed or was refused.
  package var decisions: [Decision] = []
}

/// An error in a scenario's own script.
package struct BrokenScript: Sendable {
  /// The error, with its place and traceback.
  package let error: ScriptError
}

/// The end of a scenario, with everything that a report shows of it.
package struct ScenarioEnd: Sendable {
  package let result: ScenarioResult
  /// The last dispatches and commits, oldest first, up to the one that ended the scenario.
  package var steps: [Step] = []
  /// The number of steps before these.
  package var earlierSteps = 0
  /// The work that was queued, pending or waiting when something went wrong.
  package var pendingWork: [String] = []
  /// The coverage of the scenario, if it is recorded.
  package var coverage: CoverageRecord?
  /// The lines that scripts printed.
  package var printed: [String] = []
  /// The secrets that no report may show.
  var secretTexts: SecretTexts?
}
