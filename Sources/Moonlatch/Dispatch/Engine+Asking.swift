import StateCharts

/// What tools ask of a flow at work: scenarios, the prompt, reports.
extension Engine {
  /// The names of the scopes, root included.
  package var scopeNames: [String] { flow.scopes.map(\.name) }

  /// Whether the state holds the scope open.
  package func isOpen(scope name: String) throws(UnknownName) -> Bool {
    guard let index = scopes.index(of: name) else {
      throw UnknownName(
        description: "there is no scope \(name)" + Names.suggestion(for: name, among: scopeNames))
    }
    return scopes.isOpen(index)
  }

  /// A machine's state now, and all that it has.
  package func machine(named name: String) -> (current: String, states: [String])? {
    guard let (machine, region) = region(named: name) else { return nil }
    return (
      machine.value(of: places[machine.firstRegion + region]) ?? "",
      flow.machines[machine.index].values(of: region)
    )
  }

  /// The machine whose region has a field of that name, and the region's number.
  func region(named field: String) -> (machine: LoadedMachine, region: Int)? {
    for machine in loadedMachines {
      let region = machine.chart.chart.regions.firstIndex { $0.field == field }
      if let region { return (machine, region) }
    }
    return nil
  }
}

/// A name that is not declared.
package struct UnknownName: Error, CustomStringConvertible {
  package let description: String
}
