import FlowLanguage

/// The names by which a flow's machines and their states are queried: `door.open`.
struct MachineWords {
  let names: Set<String>

  /// The words of such queries.
  static let asking: Set<String> = ["in_state", "count_in", "all_in"]

  init(_ flow: Flow) {
    var names: Set<String> = []
    for machine in flow.machines {
      names.insert(machine.name)
      for state in machine.chart.states where !state.path.isEmpty {
        names.insert("\(machine.name).\(state.path)")
      }
      for (region, field) in machine.regionFields {
        names.insert(field)
        names.formUnion(machine.paths(in: region).map { "\(field).\($0)" })
        names.formUnion(machine.values(of: region).map { "\(field).\($0)" })
      }
    }
    self.names = names
  }
}
