import FlowLanguage
import LuaRuntime
import StateCharts

/// Returns the configurations of the machines of records.
extension Engine {
  /// A record that has a machine.
  struct FoundRecord {
    package let keys: [Value]
    package let record: Value
  }

  /// The greatest number of records that are listed one by one.
  private static let mostListed = 20

  /// Returns how many records are in which state; nil for a machine of the state.
  func recordsStatus(of machine: Machine) -> MachineStatus? {
    guard let records = machine.records else { return nil }
    return status(of: machine, records, among: found(records))
  }

  private func status(
    of machine: Machine, _ records: Machine.Records, among found: [FoundRecord]
  ) -> MachineStatus {
    var counts: [String: Int] = [:]
    for value in found.compactMap({ $0.record[records.field]?.stringValue }) {
      counts[value, default: 0] += 1
    }
    let said = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    let text =
      "one for each of \(records.path.joined(separator: "."))"
      + (said.isEmpty ? ", and there is none" : ": \(said.joined(separator: ", "))")
    return MachineStatus(
      name: machine.name, current: "", states: [], transitions: [], isFinal: false,
      tree: [TreeLine(depth: 0, heading: machine.name, text: text, from: nil)])
  }

  /// Returns the status of a machine, or of the machine of one record.
  ///
  /// For a machine of records without keys, it has the number of records in each state, and the first records one by
  /// one. Throws if there is no such machine or record.
  package func machineStatus(
    named name: String, keys: [Value]
  ) throws(UnknownName) -> MachineStatus {
    guard let index = flow.machines.firstIndex(where: { $0.name == name }) else {
      throw UnknownName(
        description: "there is no machine \(name)"
          + Names.suggestion(for: name, among: flow.machines.map(\.name)))
    }
    let machine = flow.machines[index]
    guard let records = machine.records else {
      if keys.isEmpty, let status = machineStatus.first(where: { $0.name == name }) {
        return status
      }
      throw UnknownName(description: "\(machine.title) belongs to the state, not to records")
    }
    if keys.isEmpty { return listed(machine, records) }
    let (loaded, leafNumbers) = try whereabouts(of: machine, records, keys)
    return MachineStatus(
      name: name, current: loaded.whereabouts(leafNumbers[...]), states: [], transitions: [],
      isFinal: false,
      tree: tree(of: loaded, at: leafNumbers, keys: keys))
  }

  private func listed(_ machine: Machine, _ records: Machine.Records) -> MachineStatus {
    let found = found(records)
    var lines = status(of: machine, records, among: found).tree
    for record in found.prefix(Engine.mostListed) {
      let name = ActiveState(machine: machine.name, state: "", keys: record.keys).owner
      let text = record.record[records.field]?.stringValue ?? ""
      lines.append(TreeLine(depth: 1, heading: name, text: text, from: nil))
    }
    let more = found.count - Engine.mostListed
    if more > 0 {
      lines.append(TreeLine(depth: 1, heading: nil, text: "... and \(more) more", from: nil))
    }
    return MachineStatus(
      name: machine.name, current: "", states: [], transitions: [], isFinal: false, tree: lines)
  }

  /// Returns the configuration of the machine of the record with these keys, region by region.
  package func whereabouts(
    of machine: Machine, _ records: Machine.Records, _ keys: [Value]
  ) throws(UnknownName) -> (machine: LoadedMachine, leafNumbers: [ChartInterpreter.LeafNumber]) {
    let loaded = recordMachines.values.first { $0.name == machine.name }
    guard let loaded, let number = loaded.records?.number else {
      throw UnknownName(description: "\(machine.title) is not running")
    }
    let levels = records.levels
    guard keys.count == levels else {
      throw UnknownName(
        description: "a record of \(records.path.joined(separator: ".")) is identified by "
          + "\(levels == 1 ? "1 key" : "\(levels) keys"), not by \(keys.count)")
    }
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    do throws(ScriptError) {
      vm.forgetSelected()
      if let record = try vm.selectRecord(of: number, keys: keys) {
        return (loaded, try leafNumbers(of: record, in: loaded))
      }
    } catch {
      throw UnknownName(description: error.message)
    }
    throw UnknownName(description: "there is no \(loaded.records?.title(keys) ?? machine.name)")
  }

  /// Returns the records that have a machine, in the order of their keys.
  func found(_ records: Machine.Records) -> [FoundRecord] {
    var found = [FoundRecord(keys: [], record: (try? state()) ?? .nil)]
    for name in records.path + ["*"] {
      found = found.flatMap { outer -> [FoundRecord] in
        guard name == "*" else {
          return outer.record[name].map { [FoundRecord(keys: outer.keys, record: $0)] } ?? []
        }
        return outer.record.inside.map {
          FoundRecord(keys: outer.keys + [$0.key], record: $0.value)
        }
      }
    }
    return found
  }
}

extension Value {
  /// The elements of a list, a record or a map, with their keys, in order.
  fileprivate var inside: [(key: Value, value: Value)] {
    switch self {
    case .list(let elements): elements.enumerated().map { (.integer($0 + 1), $1) }
    case .record(let fields):
      fields.sorted { $0.key < $1.key }.map { (.string($0.key), $0.value) }
    case .map(let entries):
      entries.sorted { $0.key < $1.key }.map { (.integer($0.key), $0.value) }
    default: []
    }
  }
}
