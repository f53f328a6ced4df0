import FlowLanguage
import LuaRuntime
import StateCharts

/// Queries of a running flow by tools: scenarios, the prompt, reports.
extension Engine {
  /// The names of the scopes, root included.
  package var scopeNames: [String] { flow.scopes.map(\.name) }

  /// Returns true if the scope is open; throws if there is no scope with this name.
  package func isOpen(scope name: String) throws(UnknownName) -> Bool {
    guard let index = scopes.index(of: name) else {
      throw UnknownName(
        description: "there is no scope \(name)" + Names.suggestion(for: name, among: scopeNames))
    }
    return scopes.isOpen(index)
  }

  /// The position of a machine or of one of its regions.
  package struct MachinePosition {
    /// The machine's name.
    package let name: String
    /// The region's field; nil for the machine's own region.
    package let region: String?
    /// The record that has the machine, as messages name it; nil for a machine of the state.
    package var record: String?
    /// The value of the field; nil for a region that is not active.
    package let current: String?
    /// The states of the machine or region, including those nested in other states and regions.
    package let states: [String]
    fileprivate let chart: CompiledChart
    fileprivate let first: Chart.StateNumber
    fileprivate let configuration: [ChartInterpreter.LeafNumber]

    /// Returns true if a state, or one inside it, is active.
    package func isIn(_ state: String) -> Bool {
      guard let index = states.firstIndex(of: state) else { return false }
      return chart.isActive(first + Int32(index), in: configuration)
    }
  }

  /// Returns the position of the machine or region with this name; nil if there is none.
  package func machine(named name: String) -> MachinePosition? {
    let own = loadedMachines.first { $0.name == name }.map { (machine: $0, region: 0) }
    guard let (machine, region) = region(named: name) ?? own else { return nil }
    return whereabouts(of: machine, region, name, at: Array(derived.configuration[machine.regions]))
  }

  /// Returns the position of a record's machine or region with this name; nil if records have none with this name.
  package func machine(
    named name: String, of keys: [Value]
  ) throws(UnknownName) -> MachinePosition? {
    for machine in flow.machines {
      let own = machine.name == name ? 0 : nil
      let named = machine.regionFields.first { $0.number > 0 && $0.field == name }?.number
      guard let records = machine.records, let region = own ?? named else { continue }
      let (loaded, leafNumbers) = try whereabouts(of: machine, records, keys)
      var found = whereabouts(of: loaded, region, name, at: leafNumbers)
      found.record = loaded.records?.title(keys)
      return found
    }
    return nil
  }

  private func whereabouts(
    of machine: LoadedMachine, _ region: Int, _ name: String,
    at configuration: [ChartInterpreter.LeafNumber]
  ) -> MachinePosition {
    let head = machine.chart.heads[region]
    return MachinePosition(
      name: machine.name, region: region == 0 ? nil : name,
      current: machine.value(of: configuration[region]),
      states: flow.machines[machine.index].paths(in: region), chart: machine.chart,
      first: max(head, 1), configuration: configuration)
  }

  /// Returns the machine whose region has this field, and the region's number; nil if there is none.
  package func region(named field: String) -> (machine: LoadedMachine, region: Int)? {
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
