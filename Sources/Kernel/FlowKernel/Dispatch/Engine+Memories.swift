import LuaRuntime
import StateCharts

/// History values of machines, which the case's state stores by name, and interpreters use by number.
extension Engine {
  /// Returns the history values of a machine of the state, of a record's machine, or of a session.
  func historyValue(
    of subject: ChartSubject, _ interpreter: ChartInterpreter
  ) throws(ScriptError) -> ChartInterpreter.HistoryValue {
    let machine = subject.machine
    if machine.historyStates.isEmpty { return interpreter.noMemory }
    guard let records = machine.records else {
      return derived.historyValues[machine.index] ?? interpreter.noMemory
    }
    let keys = try vm.keys(of: subject.record, in: records.number)
    return keys.map { memory(of: machine, keys: $0) } ?? interpreter.noMemory
  }

  private func memory(of machine: LoadedMachine, keys: [Value] = [])
    -> ChartInterpreter.HistoryValue
  {
    ChartInterpreter.HistoryValue(
      states: machine.historyStates.map { historyState -> [ChartInterpreter.StateNumber] in
        let paths = caseState.historyValues[machine.historyValues(historyState, keys)] ?? []
        let numbers = paths.compactMap(machine.number).filter {
          machine.chart.contains(historyState.state, $0)
        }
        return numbers.count == paths.count ? numbers : []
      })
  }

  /// Removes the history values of records that are gone, and moves those of records under new keys.
  package func remember(_ notes: [LuaVM.RecordNote]) {
    var moved: [(CaseState.Remembered, [String])] = []
    for note in notes {
      guard let (machine, from, to) = historyStates(of: note) else { continue }
      for historyState in machine.historyStates {
        let key = machine.historyValues(historyState, from)
        guard let paths = caseState.historyValues[key] else { continue }
        caseState.remember([], for: key)
        if let to { moved.append((machine.historyValues(historyState, to), paths)) }
      }
    }
    for (key, paths) in moved { caseState.remember(paths, for: key) }
  }

  private func historyStates(
    of note: LuaVM.RecordNote
  ) -> (machine: LoadedMachine, from: [Value], to: [Value]?)? {
    let (number, from, to): (Int32, [Value], [Value]?)
    switch note {
    case .came: return nil
    case .went(let machine, let keys): (number, from, to) = (machine, keys, nil)
    case .moved(let machine, let old, let new): (number, from, to) = (machine, old, new)
    }
    guard let machine = recordMachines[number], !machine.historyStates.isEmpty else { return nil }
    return (machine, from, to)
  }

  /// Returns the history values of a machine.
  ///
  /// They are the paths of the states that were active inside a state when it was last left.
  package func historyValues(
    of machine: LoadedMachine, keys: [Value]
  ) -> [(state: Chart.StateNumber, isDeep: Bool, inside: [String])] {
    machine.historyStates.compactMap { historyState in
      caseState.historyValues[machine.historyValues(historyState, keys)].map {
        (historyState.state, historyState.isDeep, $0)
      }
    }
  }

  /// Stores the history values that a microstep changes.
  func remember(_ move: Microstep) {
    guard let memory = move.memory else { return }
    let machine = move.machine
    guard let keys = keys(of: move) else { return }
    let before =
      machine.records == nil
      ? derived.historyValues[machine.index] : self.memory(of: machine, keys: keys)
    for (number, historyState) in machine.historyStates.enumerated() {
      let states = memory.states[number]
      if states == before?.states[number] ?? [] { continue }
      caseState.remember(states.map(machine.path), for: machine.historyValues(historyState, keys))
    }
    if machine.records == nil { derived.historyValues[machine.index] = memory }
  }

  /// Updates the derived history values from the case's state; values with states that the flow no longer has are
  /// dropped.
  func readMemories() {
    for machine in loadedMachines where !machine.historyStates.isEmpty {
      derived.historyValues[machine.index] = memory(of: machine)
    }
  }
}
