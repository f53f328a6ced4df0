import StateCharts

/// What there is to exercise in a flow.
extension LoadedFlow {
  /// Its file and its modules, as messages name them.
  package var files: [String] { flow.files }

  /// The names of its actions, sorted.
  package var actionNames: [String] { flow.actionNames }

  /// The gate rules, each once.
  package var gateNames: [String] {
    Set(flow.actions.flatMap { $0.rules.map(\.title) }).sorted()
  }

  /// The ways that its machines list, each written as `door: closed -open-> opened`.
  package var transitionNames: [String] {
    Set(flow.machines.lazy.flatMap(\.transitionNames).compactMap(\.self)).sorted()
  }

  /// The states of machines with states inside, each written as `player: on.playing`; not regions, which
  /// are active with what is around them.
  package var stateNames: [String] {
    flow.machines.lazy.filter { !$0.isFlat }.flatMap { machine in
      machine.chart.states.indices.compactMap { machine.nameWhereCounted(Int32($0)) }
    }.sorted()
  }

  /// The lines that can run, by the names of the flow's files, and of these the ones on which
  /// functions begin.
  package var lines: [(file: String, lines: Set<Int>, functions: Set<Int>)] {
    func told(_ source: CompiledSource) -> (file: String, lines: Set<Int>, functions: Set<Int>) {
      (source.source.name, source.code.lines, source.code.functionLines)
    }
    return [told(entry)] + modules.byName.values.map(told).sorted { $0.file < $1.file }
  }
}

extension Engine {
  /// The states of each machine of the flow that are active, outermost first; none of a machine that records
  /// have.
  package var activeStates: [[Chart.StateNumber]] {
    flow.machines.indices.map { index in
      guard let machine = loadedMachines.first(where: { $0.index == index }) else { return [] }
      let leafNumbers = Array(derived.configuration[machine.regions])
      return machine.chart.nodes.indices.map(Int32.init).filter {
        machine.chart.isActive($0, in: leafNumbers)
      }
    }
  }

  /// The states in which the machines of records begin, by the machines' places in the flow.
  package var beginningsOfRecords: [(machine: Int, states: [Chart.StateNumber])] {
    recordMachines.values.sorted { $0.index < $1.index }.map { ($0.index, $0.entered) }
  }

  /// Whether there are any records that have the machine at this place in the flow.
  package func hasRecords(ofMachine index: Int) -> Bool {
    flow.machines[index].records.map { !found($0).isEmpty } ?? false
  }

  /// The states of all machines, and of the regions that are active inside them, by their fields.
  package var machineStates: [String: String] {
    var states: [String: String] = [:]
    for machine in loadedMachines {
      for (region, stop) in zip(machine.chart.chart.regions, derived.configuration[machine.regions])
      {
        if let field = region.field, let value = machine.value(of: stop) { states[field] = value }
      }
    }
    return states
  }
}
