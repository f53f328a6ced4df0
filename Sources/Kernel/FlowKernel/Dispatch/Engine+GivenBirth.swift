import LuaRuntime
import StateCharts

/// When a case was born, as a scenario gives it before anything has happened.
extension Engine {
  /// When the case was born, in microseconds since 1970; nil for what is none.
  package var birth: Int? { caseState.clock.born }

  /// Sets when the case was born: the wall clock is at that time, and goes on with `now()`.
  ///
  /// The states in which the flow is count as entered anew: how long their timers wait may depend on the
  /// calendar.
  ///
  /// - Parameter birth: in microseconds since 1970.
  /// - Returns: what is wrong; then nothing has changed.
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

  /// The delays of the states that are active, after some moves.
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

  /// The states that have timers pending or queued.
  private var statesWithTimers: Set<ActiveState> {
    var found: Set<ActiveState> = []
    for owner in caseState.timers.pending.map(\.owner) + caseState.queue.waiting.map(\.owner) {
      if case .state(let state) = owner { found.insert(state) }
    }
    return found
  }
}
