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

  /// The ways that its machines can go, each written as `door: closed -open-> opened`.
  package var transitionNames: [String] {
    flow.machines.flatMap { machine in
      machine.states.flatMap { state in
        state.transitions.flatMap { action, targets in
          targets.map {
            LoadedFlow.transitionName(
              machine.name, state.name, action, machine.states[$0.state].name)
          }
        }
      }
    }.reduce(into: Set<String>()) { $0.insert($1) }.sorted()
  }

  /// How a machine's transition is named.
  package static func transitionName(
    _ machine: String, _ from: String, _ action: String, _ to: String
  ) -> String {
    "\(machine): \(from) -\(action)-> \(to)"
  }

  /// The lines that can run, by the names of the flow's files.
  package var lines: [(file: String, lines: Set<Int>)] {
    [(entry.source.name, entry.code.lines)]
      + modules.byName.values.map { ($0.source.name, $0.code.lines) }
      .sorted { $0.file < $1.file }
  }
}

extension Engine {
  /// The machines that an action may move, with the state in which each is now.
  package func machineStates(for action: String) -> [(machine: String, state: String)] {
    (flow.action(named: action)?.machines ?? []).map {
      let machine = loadedMachines[$0]
      return (machine.name, machine.whereabouts(places[machine.regions]))
    }
  }

  /// The states of all machines, and of the regions that are active inside them, by their fields.
  package var machineStates: [String: String] {
    var states: [String: String] = [:]
    for machine in loadedMachines {
      for (region, stop) in zip(machine.chart.chart.regions, places[machine.regions]) {
        if let field = region.field, let value = machine.value(of: stop) { states[field] = value }
      }
    }
    return states
  }
}
