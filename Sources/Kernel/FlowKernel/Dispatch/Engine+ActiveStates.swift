import StateCharts

/// The active states of machines, for reports and coverage.
extension Engine {
  /// The active states of each machine of the flow, outermost first; empty for a machine of records.
  package var activeStates: [[Chart.StateNumber]] {
    flow.machines.indices.map { index in
      guard let machine = loadedMachines.first(where: { $0.index == index }) else { return [] }
      let leafNumbers = Array(derived.configuration[machine.regions])
      return machine.chart.nodes.indices.map(Int32.init).filter {
        machine.chart.isActive($0, in: leafNumbers)
      }
    }
  }

  /// The initial states of the machines of records, by the machines' indices in the flow.
  package var beginningsOfRecords: [(machine: Int, states: [Chart.StateNumber])] {
    recordMachines.values.sorted { $0.index < $1.index }.map { ($0.index, $0.entered) }
  }

  /// Returns true if any record has the machine with this index in the flow.
  package func hasRecords(ofMachine index: Int) -> Bool {
    flow.machines[index].records.map { !found($0).isEmpty } ?? false
  }

  /// The states of all machines and of their active regions, by field.
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
