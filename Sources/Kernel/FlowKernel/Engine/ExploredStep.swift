/// The outcome of one action in an exploration.
package struct ExploredStep: Sendable {
  package let outcome: Outcome
  /// The microsteps of machines in it.
  package let machineSteps: [MicrostepRecord]
  /// True if an effect or a timer dispatched the action.
  package let isFromQueue: Bool
}

/// The result of a move, action by action.
package struct ExploredTelling: Sendable {
  package let ending: ExploredRun.Ending
  /// The steps in order; that of the move itself, if it has one, is the first.
  package let steps: [ExploredStep]
  /// The encoded tree of the next state; `canonical` has the rest of that state.
  package let tree: [UInt8]
  package let canonical: CanonicalState
  /// True if the action of an effect's end was refused.
  package let endWasRefused: Bool
  /// True if the move took something from the queue.
  package let ranQueue: Bool
  /// The number of outcomes of each draw.
  package let outcomes: [Int]
  /// The reason why the move cannot be explored; nil if it can.
  package let problem: ExploredProblem?
}
