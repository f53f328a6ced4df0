import LuaRuntime

/// Playing what was recorded: only what the record holds happens.
extension Engine {
  /// Turns effects and timers off: what they dispatched is in the record itself.
  package func turnOffEffectsAndTimers() {
    startsEffectsAndTimers = false
    // So far it was zero, for every engine.
    hasReadClock = false
    timers = Timers()
    lastMoment = nil
    history = History(limit: limits.history, beginning: moment())
  }

  /// Sets the clock, in microseconds since the beginning.
  ///
  /// It never goes backwards.
  package func setTime(_ microseconds: Int) { time = max(time, microseconds) }
}
