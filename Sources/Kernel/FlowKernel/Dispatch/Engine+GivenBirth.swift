import LuaRuntime
import StateCharts

/// The time of a case's creation, as a scenario gives it before anything has happened.
extension Engine {
  /// The time at which the case was created, in microseconds since 1970; nil if this is no case.
  package var birth: Int? { caseState.clock.born }

  /// Sets the time at which the case was created; the wall clock starts there, and advances with `now()`.
  ///
  /// The active states count as entered anew, because the delays of their timers may depend on the calendar.
  ///
  /// - Parameter birth: the time in microseconds since 1970.
  /// - Returns: an error message, in which case nothing has changed; nil if all is well.
  package func give(birth: Int) -> String? {
    let before = caseState.clock
    caseState.clock.give(birth: birth)
    vm.touchConditions()
    var moves: [Microstep] = []
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    do throws(Rejection) {
      let result = try transaction(for: "given.born") {
      } eventless: {
        try takeEventlessMicrosteps(of: "given.born", from: derived.configuration, &moves)
      } delays: { () throws(ScriptError) in
        try workOutDelaysAgain(moves)
      }
      for owner in statesWithTimers { stopTimers(of: owner) }
      finishGiving(moves, result)
      return nil
    } catch {
      caseState.clock = before
      return error.failure.message
    }
  }

  /// Computes the delays of the active states after some microsteps.
  private func workOutDelaysAgain(_ moves: [Microstep]) throws(ScriptError) -> Delays? {
    let active = loadedMachines.map { machine in
      let leafNumbers = Array(derived.configuration[machine.regions])
      return Microstep(
        machine, from: leafNumbers, to: leafNumbers,
        entered: machine.chart.nodes.indices.map(ChartInterpreter.StateNumber.init)
          .filter { machine.isActive($0, at: derived.configuration) })
    }
    var delays = try workOutDelays(entering: active + moves)
    vm.forgetSelected()
    for owner in statesWithTimers where !owner.keys.isEmpty {
      guard let (machine, state) = find(owner), let records = machine.records,
        let record = try vm.selectRecord(of: records.number, keys: owner.keys),
        !moves.contains(where: { $0.machine === machine && $0.record == record })
      else { continue }
      try workOutDelays(of: [state], in: machine, record: record, keys: owner.keys, &delays)
    }
    return delays
  }

  /// The states with timers that are pending or queued.
  private var statesWithTimers: Set<ActiveState> {
    var found: Set<ActiveState> = []
    for owner in caseState.timers.pending.map(\.owner) + caseState.queue.waiting.map(\.owner) {
      if case .state(let state) = owner { found.insert(state) }
    }
    return found
  }
}
