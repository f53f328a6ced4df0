import LuaRuntime
import StateCharts

extension Engine {
  /// The microstep that a machine takes by these transitions; nil if history states take part, or if its place in the
  /// cache is another's.
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
    // A question in the middle of a dispatch does not know which transitions that one takes.
    return try cache.keep(
      try failing(action.name) { () throws(ScriptError) in
        let taken = try resolveConflicts(selected, of: subject)
        return PreparedMicrostep(
          try microstep(of: subject, by: taken), action.reducerReference)
      },
      transitions.action, selected, from: subject.leafNumbers, isFixed: vm.isInsideWork)
  }
}
