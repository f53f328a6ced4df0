import LuaRuntime
import Moonlatch

/// What was played in a session, step by step, for replays and for scenarios.
struct PlayedSteps {
  enum Step {
    /// An action was offered; `followed` are the transitions that its effects led to.
    case dispatch(action: String, payload: Value, outcome: Outcome, followed: [Transition])
    case advance(seconds: Double, followed: [Transition])
    /// A capability was given an answer: the source of a Lua expression.
    case stub(name: String, source: String)
  }

  struct Entry {
    let step: Step
    /// The revision before the step, and after it.
    let before: Int
    let after: Int

    /// The transitions that it made, in order.
    var transitions: [Transition] {
      switch step {
      case .dispatch(_, _, .passed(let transition), let followed): [transition] + followed
      case .dispatch(_, _, _, let followed), .advance(_, let followed): followed
      case .stub: []
      }
    }
  }

  private(set) var entries: [Entry] = []

  /// Adds a step; those that were undone before it are no part of what was played.
  mutating func add(_ step: Step, before: Int, after: Int) {
    entries = Array(lasting(until: before))
    entries.append(Entry(step: step, before: before, after: after))
  }

  /// The steps that led to a revision, without those that were undone.
  func lasting(until revision: Int) -> [Entry] { Array(entries.prefix { $0.after <= revision }) }

  /// Whether the steps lead to just this revision, or it lies within one.
  func leads(to revision: Int) -> Bool {
    (entries.last { $0.after <= revision }?.after ?? 0) == revision
  }

  var lastOutcome: Outcome? {
    for entry in entries.reversed() {
      if case .dispatch(_, _, let outcome, _) = entry.step { return outcome }
    }
    return nil
  }
}
