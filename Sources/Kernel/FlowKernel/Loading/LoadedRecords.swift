import FlowLanguage
import LuaRuntime
import StateCharts

/// The records that have a machine, in the form that a dispatch uses.
package final class LoadedRecords: Sendable {
  /// The number of the machine in the VM.
  package let number: Int32
  package let declaration: LuaVM.RecordMachine
  private let declared: Machine.Records
  private let keys: [String: LuaReference]

  package init(_ records: Machine.Records, of machine: Machine, number: Int32) {
    self.number = number
    declared = records
    keys = machine.keyReferences
    let tables = machine.compiled
    declaration = LuaVM.RecordMachine(
      path: machine.pathReferences, regions: LoadedRecords.regions(of: machine),
      values: machine.valueReferences, texts: LoadedRecords.texts(of: machine),
      isTold: tables.historyStateCount > 0
        || machine.chart.states.contains(where: \.lasts),
      goesOn: tables.hasEventless)
  }

  private static func regions(of machine: Machine) -> [LuaVM.RecordMachine.Region] {
    let tables = machine.compiled
    var interpreter = ChartInterpreter(tables)
    var leafNumbers: [ChartInterpreter.LeafNumber] = []
    return tables.chart.regions.enumerated().map { number, region in
      interpreter.begin(&leafNumbers, at: [tables.heads[number]], remembering: interpreter.noMemory)
      let owner = region.owner < 0 ? nil : tables.chart.states[Int(region.owner)].region
      let around = owner.map {
        (region: Int($0), stop: Int(tables.nodes[Int(region.owner)].leafNumber))
      }
      return LuaVM.RecordMachine.Region(
        field: machine.fieldReferences[number], beginning: Int(leafNumbers[number]), owner: around)
    }
  }

  /// Returns the texts that fields may be set to: the value of each leaf, and the paths of states with nested states.
  private static func texts(of machine: Machine) -> [LuaVM.RecordMachine.Text] {
    let tables = machine.compiled
    return tables.leafStates.indices.map { stop in
      LuaVM.RecordMachine.Text(
        machine.valueReferences[stop],
        region: Int(tables.chart.states[Int(tables.leafStates[stop])].region), stop: stop)
    }
      + machine.outerReferences.map { state, text in
        var interpreter = ChartInterpreter(tables)
        var leafNumbers: [ChartInterpreter.LeafNumber] = []
        interpreter.begin(&leafNumbers, at: [state], remembering: interpreter.noMemory)
        let region = Int(tables.chart.states[Int(state)].region)
        return LuaVM.RecordMachine.Text(text, region: region, stop: Int(leafNumbers[region]))
      }
  }

  /// The number of keys that identify a record.
  package var levels: Int { declared.levels }

  /// The path to all the records, such as `orders.*.items`.
  package var path: String { declared.path.joined(separator: ".") }

  /// Returns true if the action passes even if the record that it names does not exist.
  func passesWithout(_ action: String) -> Bool { declared.without.contains(action) }

  /// Returns the payload that names the record with these keys.
  package func payload(_ keys: [Value]) -> Value {
    .record(Dictionary(zip(declared.which, keys), uniquingKeysWith: { first, _ in first }))
  }

  /// Returns the rule by which the payload of an action selects records.
  func selection(for action: Action) -> RecordSelection {
    var fields = declared.which.prefix { action.payload.type(ofField: $0) != nil }.map { $0 }
    let listed = declared.whichIn[action.name]
    if let listed { fields = fields.prefix(levels - 1) + [listed] }
    return RecordSelection(
      selector: LuaVM.RecordSelector(
        of: number, by: fields.compactMap { keys[$0] }, endsInList: listed != nil),
      namesEach: fields.count == levels)
  }

  /// Returns the path of the record that a payload names; nil if it does not name exactly one.
  package func path(named payload: Value, by action: Action) -> [Value]? {
    guard declared.whichIn[action.name] == nil, declared.which.count == levels else { return nil }
    var keys: [Value] = []
    for field in declared.which {
      guard action.payload.type(ofField: field) != nil, let key = payload[field] else { return nil }
      keys.append(key)
    }
    return path(to: keys)
  }

  /// Returns the path in the state of the record with these keys.
  package func path(to keys: [Value]) -> [Value] {
    var keys = keys[...]
    return (declared.path + ["*"]).compactMap { $0 == "*" ? keys.popFirst() : .string($0) }
  }

  /// Returns the name in messages of the record with these keys, such as `players["ann"]`.
  package func title(_ keys: [Value]) -> String {
    var keys = keys[...]
    var title = ""
    for (index, name) in (declared.path + ["*"]).enumerated() {
      if name != "*" {
        title += index == 0 ? name : ".\(name)"
      } else if let key = keys.popFirst() {
        title += key.stringValue.map { "[\"\($0)\"]" } ?? "[\(key)]"
      }
    }
    return title
  }
}

/// The rule by which a payload selects the records that an action concerns.
package struct RecordSelection: Sendable {
  /// The fields of the payload that contain the keys.
  package let selector: LuaVM.RecordSelector
  /// True if the payload names single records; false if it means all records below those keys.
  let namesEach: Bool
}
