import LuaRuntime
import StateCharts

/// A microstep of one machine: for an action, a timer, or without an event.
///
/// The engine notes it where `EngineObservers.recordsMicrosteps` says so, and nobody pays for it otherwise.
package struct MicrostepRecord: Sendable {
  /// The machine, by its place in `Flow.machines`.
  package let machine: Int
  /// The keys of the record that has it; none for a machine of the state.
  package let keys: [Value]
  /// The ways that it took, in the order of the regions that found them; those that stay are among them.
  ///
  /// `Machine.compiled.transition` has each as it was declared: its trigger says whether it was taken for an action,
  /// without an event (`always`, `on_done`), or by a timer of its state.
  package let transitions: [CompiledChart.TransitionNumber]
  /// The regions that stand elsewhere than before.
  package let changes: [ChartInterpreter.Change]
  /// The states that were left, innermost and last-listed first.
  package let left: [Chart.StateNumber]
  /// The states that were entered, outermost and first-listed first.
  package let entered: [Chart.StateNumber]

  init(_ move: Microstep, of keys: [Value]) {
    (machine, self.keys) = (move.machine.index, keys)
    (transitions, changes) = (move.transitions, move.changes)
    (left, entered) = (move.left, move.entered)
  }
}
