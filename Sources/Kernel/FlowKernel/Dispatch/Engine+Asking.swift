import FlowLanguage
import LuaRuntime
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

  /// Where a machine or one of its regions stands.
  package struct MachinePosition {
    /// The machine's name.
    package let name: String
    /// The region's field, where it is not the machine's own.
    package let region: String?
    /// The record that has it, as messages name it; nil for a machine of the state.
    package var record: String?
    /// What says where it stands; nil for a region that is not active.
    package let current: String?
    /// The states that it has, those inside other states and regions too.
    package let states: [String]
    fileprivate let chart: CompiledChart
    fileprivate let first: Chart.StateNumber
    fileprivate let configuration: [ChartInterpreter.LeafNumber]

    /// Whether it is in a state or in one inside that.
    package func isIn(_ state: String) -> Bool {
      guard let index = states.firstIndex(of: state) else { return false }
      return chart.isActive(first + Int32(index), in: configuration)
    }
  }

  /// Where a machine or a region of that name stands.
  package func machine(named name: String) -> MachinePosition? {
    let own = loadedMachines.first { $0.name == name }.map { (machine: $0, region: 0) }
    guard let (machine, region) = region(named: name) ?? own else { return nil }
    return whereabouts(of: machine, region, name, at: Array(derived.configuration[machine.regions]))
  }

  /// Where a machine or a region of that name stands that a record has; nil where no records have one.
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

  /// The machine whose region has a field of that name, and the region's number.
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
