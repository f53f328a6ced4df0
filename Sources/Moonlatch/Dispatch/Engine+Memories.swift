import StateCharts

/// What history remembers: the ledger keeps it by names, as part of the moment of the revision, and planners
/// work with numbers.
extension Engine {
  /// What a machine's history remembers.
  func memory(of machine: LoadedMachine, _ planner: Planner) -> Planner.Memory {
    machine.keepers.isEmpty ? planner.noMemory : memories[machine.index] ?? planner.noMemory
  }

  /// What history remembers of a machine: the paths of the states that were active inside a state when it was
  /// last left.
  package func remembered(
    of machine: Int
  ) -> [(state: Chart.StateNumber, isDeep: Bool, inside: [String])] {
    guard let loaded = loadedMachines.first(where: { $0.index == machine }) else { return [] }
    return loaded.keepers.compactMap { keeper in
      ledger.remembered[loaded.remembered(keeper)].map { (keeper.state, keeper.isDeep, $0) }
    }
  }

  /// Notes what a move has history remember.
  func remember(_ move: MachineMove) {
    guard let memory = move.memory else { return }
    let machine = move.machine
    let before = memories[machine.index]
    for (number, keeper) in machine.keepers.enumerated() {
      let states = memory.states[number]
      if states == before?.states[number] ?? [] { continue }
      ledger.remember(states.map(machine.path), for: machine.remembered(keeper))
    }
    memories[machine.index] = memory
  }

  /// Has planners know what the ledger remembers; what the flow's text does not have any more is forgotten.
  func readMemories() {
    for machine in loadedMachines where !machine.keepers.isEmpty {
      let states = machine.keepers.map { keeper -> [Planner.StateNumber] in
        let paths = ledger.remembered[machine.remembered(keeper)] ?? []
        let numbers = paths.compactMap(machine.number).filter {
          machine.chart.contains(keeper.state, $0)
        }
        return numbers.count == paths.count ? numbers : []
      }
      memories[machine.index] = Planner.Memory(states: states)
    }
  }
}

extension LoadedMachine {
  /// A state's path, or the machine's name for the outermost.
  func path(of state: Planner.StateNumber) -> String {
    state == 0 ? name : chart.chart.states[Int(state)].path
  }

  fileprivate func remembered(
    _ keeper: (state: Planner.StateNumber, isDeep: Bool)
  ) -> Ledger.Remembered {
    Ledger.Remembered(
      machine: name, state: chart.chart.states[Int(keeper.state)].path, isDeep: keeper.isDeep)
  }
}
