import LuaRuntime
import StateCharts

extension Engine {
  /// Returns the microstep of a machine for these transitions, from the cache or computed.
  ///
  /// Returns nil if history states take part, or if the microstep's slot in the cache is in use and pinned.
  func cachedMicrostep(
    by selected: [ChartInterpreter.TransitionNumber], _ transitions: TransitionTable,
    _ action: LoadedAction
  ) throws(Rejection) -> Unmanaged<PreparedMicrostep>? {
    let machine = transitions.machine
    guard machine.historyStates.isEmpty else { return nil }
    if caches.microsteps.isEmpty {
      caches.microsteps = Array(repeating: nil, count: flow.machines.count)
    }
    let subject = subject(machine)
    let cache = caches.microsteps[machine.index] ?? MicrostepCache()
    if let microstep = cache.microstep(transitions.action, selected, from: subject.leafNumbers) {
      return microstep
    }
    caches.microsteps[machine.index] = cache
    // The slots are pinned for a question inside a dispatch, which does not know the transitions of that dispatch.
    return try cache.keep(
      try failing(action.name) { () throws(ScriptError) in
        let taken = try resolveConflicts(selected, of: subject)
        return PreparedMicrostep(
          try microstep(of: subject, by: taken), action.reducerReference)
      },
      transitions.action, selected, from: subject.leafNumbers, isFixed: vm.isInsideWork)
  }
}
