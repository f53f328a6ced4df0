import FlowLanguage
import LuaRuntime
import StateCharts

/// What a machine for records knows of those, as a dispatch needs it.
package final class LoadedRecords: Sendable {
  /// What the VM knows the machine by.
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

  /// What fields may be given: what they say at each stop, and the paths of states with states inside.
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

  /// How many keys tell one record from the others.
  package var levels: Int { declared.levels }

  /// The path to all of them: `orders.*.items`.
  package var path: String { declared.path.joined(separator: ".") }

  /// Whether the action passes where there is no such record.
  func passesWithout(_ action: String) -> Bool { declared.without.contains(action) }

  /// The payload that says which record an action is about.
  package func payload(_ keys: [Value]) -> Value {
    .record(Dictionary(zip(declared.which, keys), uniquingKeysWith: { first, _ in first }))
  }

  /// How the payload of an action says which records it is about.
  func selection(for action: Action) -> RecordSelection {
    var fields = declared.which.prefix { action.payload.type(ofField: $0) != nil }.map { $0 }
    let listed = declared.whichIn[action.name]
    if let listed { fields = fields.prefix(levels - 1) + [listed] }
    return RecordSelection(
      selector: LuaVM.RecordSelector(
        of: number, by: fields.compactMap { keys[$0] }, endsInList: listed != nil),
      namesEach: fields.count == levels)
  }

  /// Where the record stands that a payload names; nil where it does not name one alone.
  package func path(named payload: Value, by action: Action) -> [Value]? {
    guard declared.whichIn[action.name] == nil, declared.which.count == levels else { return nil }
    var keys: [Value] = []
    for field in declared.which {
      guard action.payload.type(ofField: field) != nil, let key = payload[field] else { return nil }
      keys.append(key)
    }
    return path(to: keys)
  }

  /// Where the record with these keys stands in the state.
  package func path(to keys: [Value]) -> [Value] {
    var keys = keys[...]
    return (declared.path + ["*"]).compactMap { $0 == "*" ? keys.popFirst() : .string($0) }
  }

  /// `players["ann"]`, as messages name the record with these keys.
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

/// How a payload says which records an action is about.
package struct RecordSelection: Sendable {
  /// The fields with the keys.
  package let selector: LuaVM.RecordSelector
  /// Whether it names records; otherwise all are meant that lie below what it names.
  let namesEach: Bool
}
