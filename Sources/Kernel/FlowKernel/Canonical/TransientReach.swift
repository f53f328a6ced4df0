/// The actions and states that an exploration reaches only between its states, so that no state shows them.
package struct TransientReach: Sendable {
  /// The passed actions that effects and timers have dispatched.
  package var actions: Set<String> = []
  /// The states that were entered, including those left at once, such as `m.work.finished`.
  package var states: Set<String> = []

  package init(actions: Set<String> = [], states: Set<String> = []) {
    (self.actions, self.states) = (actions, states)
  }

  package func union(_ other: TransientReach) -> TransientReach {
    TransientReach(actions: actions.union(other.actions), states: states.union(other.states))
  }
}
