/// Actions and states that runs of an exploration come to between its states, so that no state shows them.
package struct TransientReach: Sendable {
  /// The actions that effects and timers have dispatched and that have passed.
  package var actions: Set<String> = []
  /// The states of machines that were entered, also those that were left at once: `m.work.finished`.
  package var states: Set<String> = []

  package init(actions: Set<String> = [], states: Set<String> = []) {
    (self.actions, self.states) = (actions, states)
  }

  package func union(_ other: TransientReach) -> TransientReach {
    TransientReach(actions: actions.union(other.actions), states: states.union(other.states))
  }
}
