import FlowKernel
import FlowLanguage

/// What is told of one scenario: all that any report needs.
///
/// Values are texts as Lua source, cut short where they are long, so that a record stays small
/// whatever the state is.
package struct ScenarioRecord: Sendable, Hashable {
  /// How the scenario ended.
  package enum Status: String, Sendable {
    /// Every expectation held.
    case passed
    /// An expectation did not hold.
    case failed
    /// A script raised an error of its own.
    case broken
    /// It says itself why it does not run.
    case skipped
    /// Its process ended under it.
    case crashed
    /// It took longer than it may.
    case timedOut = "timed-out"
  }

  package var file: String
  package var line: Int
  package var name: String
  package var tags: [String] = []
  /// Which of several runs this is, counted from 1.
  package var attempt = 1
  package var status: Status
  package var microseconds = 0
  /// Why it is skipped.
  package var reason: String?
  package var printed: [String] = []
  package var problem: ProblemRecord?
  /// The last steps, oldest first; none for what passed, unless all are asked for.
  package var steps: [StepRecord] = []
  /// How many steps came before these.
  package var earlierSteps = 0
  /// What was still to come when something went wrong; of much only the first.
  package var pendingWork: [String] = []

  /// Names the scenario among all others of a run.
  package var id: String { "\(file):\(name)" }

  /// Whether there is nothing to mend.
  package var isWell: Bool { status == .passed || status == .skipped }

  package init(file: String, line: Int, name: String, status: Status) {
    self.file = file
    self.line = line
    self.name = name
    self.status = status
  }
}

/// What was wrong, and all that helps to mend it.
package struct ProblemRecord: Sendable, Hashable {
  /// `expectation`, the kind of a script's error, `crash` or `timeout`.
  package var kind: String
  /// The sentence, without its place.
  package var message: String
  package var file: String?
  package var line: Int?
  /// The line of the scenario file and its neighbours.
  package var source: [SourceExcerpt.Line] = []
  /// The calls that led there, innermost first.
  package var calls: [String] = []
  package var mismatches: [Mismatch] = []
  package var decisions: [Decision] = []

  package init(kind: String, message: String) {
    self.kind = kind
    self.message = message
  }

  /// `file:line`, or the empty text.
  package var place: String {
    guard let file else { return "" }
    return line.map { "\(file):\($0)" } ?? file
  }

  /// The message behind its place.
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
    /// What moved a region there, if that was no action: `always` or `on_done`.
    package var by: String?
  }

  package var action: String
  /// Nil for an action from the queue without anything in it.
  package var payload: String?
  package var outcome: Outcome
  package var revision: Int?
  /// The transition whose effect or timer dispatched it.
  package var cause: Int?
  /// True if a state postpones it.
  package var isPostponed = false
  package var microseconds: Int?
  /// The ways that machines with states inside took.
  package var transitions: [String] = []
  /// What changed, or what was taken back.
  package var changes: [Change] = []
  /// How many changes more there were.
  package var moreChanges = 0
  /// Who refused, or the kind of failure.
  package var by: String?
  /// The sentence that says why.
  package var message: String?
  package var place: String?
  package var calls: [String] = []

  package init(action: String, outcome: Outcome) {
    self.action = action
    self.outcome = outcome
  }
}
