import LuaRuntime
import StateCharts

/// The record of one machine's microstep, for an action, for a timer, or without an event.
///
/// The engine makes it only if `EngineObservers.recordsMicrosteps` is true; otherwise it costs nothing.
package struct MicrostepRecord: Sendable {
  /// The machine's index in `Flow.machines`.
  package let machine: Int
  /// The keys of the record that has the machine; empty for a machine of the state.
  package let keys: [Value]
  /// The transitions that it took, in the order of the regions that selected them, including those without a change of
  /// state.
  ///
  /// `Machine.compiled.transition` returns each as it was declared: its trigger tells if it was taken for an action,
  /// without an event (`always`, `on_done`), or by a timer of its state.
  package let transitions: [CompiledChart.TransitionNumber]
  /// The regions whose leaf has changed.
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
