import LuaRuntime

/// The delay and the event of a timer of an entered state.
package struct StateDelay {
  package let owner: PendingTimer.Owner
  /// The action's name, or the title of a timed transition.
  package let name: String
  /// The number of the timed transition among those of its state; nil for an action.
  package let transition: Int?
  /// The delay; nil if its function returns none: there is no timer then.
  package let microseconds: Int?
  package let repeats: Bool
  /// The key of its record, if the action takes it.
  package var payload: Value = [:]
  /// True if the state stays active, and its pending timer restarts.
  var isRestart = false
}
