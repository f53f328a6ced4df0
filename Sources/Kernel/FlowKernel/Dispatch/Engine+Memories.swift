import LuaRuntime
import StateCharts

/// The history values of machines: the case's state has them by names, and interpreters by numbers.
extension Engine {
  /// The history values of a machine of the state, of a record's or of a session.
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

  /// The history values of a record are forgotten, or go along with it.
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

  /// What history remembers of a machine: the paths of the states that were active inside a state when it was
  /// last left.
  package func historyValues(
    of machine: LoadedMachine, keys: [Value]
  ) -> [(state: Chart.StateNumber, isDeep: Bool, inside: [String])] {
    machine.historyStates.compactMap { historyState in
      caseState.historyValues[machine.historyValues(historyState, keys)].map {
        (historyState.state, historyState.isDeep, $0)
      }
    }
  }

  /// Notes what a move has history remember.
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

  /// Has planners know what the case's state remembers; what the flow's text does not have any more is forgotten.
  func readMemories() {
    for machine in loadedMachines where !machine.historyStates.isEmpty {
      derived.historyValues[machine.index] = memory(of: machine)
    }
  }
}
