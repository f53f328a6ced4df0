import FlowKernel
import FlowLanguage

/// The record of one scenario, with all that any report needs.
///
/// Values are texts of Lua source and long ones are shortened, so that a record stays small however large the state is.
package struct ScenarioRecord: Sendable, Hashable {
  /// The way in which a scenario ended.
  package enum Status: String, Sendable {
    /// Every expectation held.
    case passed
    /// An expectation did not hold.
    case failed
    /// A script raised an error of its own.
    case broken
    /// The scenario says itself why it does not run.
    case skipped
    /// The process ended while the scenario ran.
    case crashed
    /// The scenario took longer than it may.
    case timedOut = "timed-out"
  }

  package var file: String
  package var line: Int
  package var name: String
  package var tags: [String] = []
  /// The tag of scenarios that make real calls.
  static let liveTag = "live"
  /// The number of the repetition, counted from 1.
  package var attempt = 1
  package var status: Status
  package var microseconds = 0
  /// The reason that the scenario is skipped.
  package var reason: String?
  package var printed: [String] = []
  package var problem: ProblemRecord?
  /// The last steps, oldest first; empty for a scenario that passed, unless all steps are asked for.
  package var steps: [StepRecord] = []
  /// The number of steps before these.
  package var earlierSteps = 0
  /// The pending work when something went wrong; only the first items if there are many.
  package var pendingWork: [String] = []

  /// The identifier of the scenario among all others of a run.
  package var id: String { "\(file):\(name)" }

  /// True if nothing went wrong.
  package var isWell: Bool { status == .passed || status == .skipped }

  package init(file: String, line: Int, name: String, status: Status) {
    self.file = file
    self.line = line
    self.name = name
    self.status = status
  }
}

/// A problem of a scenario, with all that helps to fix it.
package struct ProblemRecord: Sendable, Hashable {
  /// The kind: `expectation`, the kind of a script's error, `crash` or `timeout`.
  package var kind: String
  /// The message, without its place.
  package var message: String
  package var file: String?
  package var line: Int?
  /// The line of the scenario file and its neighbours.
  package var source: [SourceExcerpt.Line] = []
  /// The calls that led to the problem, innermost first.
  package var calls: [String] = []
  package var mismatches: [Mismatch] = []
  package var decisions: [Decision] = []

  package init(kind: String, message: String) {
    self.kind = kind
    self.message = message
  }

  /// The place as `file:line`, or an empty text.
  package var place: String {
    guard let file else { return "" }
    return line.map { "\(file):\($0)" } ?? file
  }

  /// The message with its place in front.
  package var summary: String { place.isEmpty ? message : "\(place): \(message)" }
}

/// One dispatch, or an action from the queue.
package struct StepRecord: Sendable, Hashable {
  package enum Outcome: String, Sendable { case passed, refused, failed }

  /// One change of the patch.
  package struct Change: Sendable, Hashable {
    package var operation: Patch.Operation
    package var path: String
    package var old: String
    package var new: String
    /// The trigger that moved a region there without an action: `always` or `on_done`.
    package var by: String?
  }

  package var action: String
  /// The payload; nil for an action from the queue with an empty payload.
  package var payload: String?
  package var outcome: Outcome
  package var revision: Int?
  /// The revision of the commit whose effect or timer dispatched the action.
  package var cause: Int?
  /// True if a state postpones it.
  package var isPostponed = false
  package var microseconds: Int?
  /// The transitions that machines with nested states took.
  package var transitions: [String] = []
  /// The changes that the step made, or that a failure took back.
  package var changes: [Change] = []
  /// The number of changes that were left out.
  package var moreChanges = 0
  /// The rule that refused the action, or the kind of failure.
  package var by: String?
  /// The sentence that says why the action did not pass.
  package var message: String?
  package var place: String?
  package var calls: [String] = []

  package init(action: String, outcome: Outcome) {
    self.action = action
    self.outcome = outcome
  }
}
