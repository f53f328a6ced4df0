import FlowKernel
import FlowLanguage
import LuaRuntime

/// How a scenario ended.
package enum ScenarioResult: Sendable {
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
package struct FailedExpectation: Sendable {
  /// Where it stands.
  package let place: SourcePlace
  /// What was expected and what was found, as a sentence.
  package let message: String
  /// The places that differ.
  package let mismatches: [Mismatch]
  /// The calls that led there, innermost first; empty where the script caught the failure.
  package internal(set) var traceback: [String]
  /// How the action that the expectation is about came to pass or to be refused.
  package var decisions: [Decision] = []
}

/// An error in a scenario's own script.
package struct BrokenScript: Sendable {
  /// The error, with its place and traceback.
  package let error: ScriptError
}

/// What a scenario came to, with everything that a report tells of it.
package struct ScenarioEnd: Sendable {
  package let result: ScenarioResult
  /// The last dispatches and transitions, oldest first, up to what ended the scenario.
  package var steps: [Step] = []
  /// How many came before these.
  package var earlierSteps = 0
  /// What was queued, pending and waiting when something went wrong.
  package var pendingWork: [String] = []
  /// What it exercised, where that is noted.
  package var coverage: CoverageRecord?
  /// What scripts printed.
  package var printed: [String] = []
  /// The secrets that nothing of this may show.
  var secretTexts: SecretTexts?
}
