/// What one action came to while a flow is explored.
package struct ExploredStep: Sendable {
  package let outcome: Outcome
  /// What machines did in it.
  package let machineSteps: [MicrostepRecord]
  /// Whether an effect or a timer has dispatched it.
  package let isFromQueue: Bool
}

/// What a move came to, action by action.
package struct ExploredTelling: Sendable {
  package let ending: ExploredRun.Ending
  /// In order; that of the move itself, if it has one, is the first.
  package let steps: [ExploredStep]
  /// The state that it leads to, encoded, and what belongs to it besides.
  package let tree: [UInt8]
  package let canonical: CanonicalState
  /// Whether the action was refused that an effect ended with.
  package let endWasRefused: Bool
  /// Whether something has come from the queue.
  package let ranQueue: Bool
  /// How many outcomes each draw had.
  package let outcomes: [Int]
  /// Why it cannot be explored; nil where it can.
  package let problem: ExploredProblem?
}
