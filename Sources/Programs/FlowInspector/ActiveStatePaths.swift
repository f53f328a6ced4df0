import FlowLanguage
import LuaRuntime
import StateCharts

/// The paths of the active states of all machines, which a page highlights.
struct ActiveStatePaths {
  private let flow: Flow
  private static let most = 200

  init(_ flow: Flow) { self.flow = flow }

  /// Returns the paths of active states for each machine; for a machine of records, for each record.
  func data(in state: Value) -> Value {
    .list(
      flow.machines.map { machine in
        guard let records = machine.records else {
          return ["on": .list(paths(of: machine, in: state).map { .string($0) })]
        }
        let found = ActiveStatePaths.records(records, in: state)
        return [
          "count": .integer(found.count),
          "records": .list(
            found.prefix(ActiveStatePaths.most).map { keys, record in
              [
                "keys": .string(keys.joined(separator: ", ")),
                "on": .list(paths(of: machine, in: record).map { .string($0) }),
              ]
            }),
        ]
      })
  }

  private func paths(of machine: Machine, in holder: Value) -> [String] {
    var paths: Set<String> = []
    for (number, field) in machine.regionFields {
      guard let text = holder[field]?.stringValue,
        let stop = machine.compiled.leafNumber(text, in: number)
      else { continue }
      var state = Int(machine.compiled.leafStates[Int(stop)])
      while state > 0 {
        paths.insert(machine.chart.states[state].path)
        state = Int(machine.chart.states[state].parent)
      }
    }
    return paths.sorted()
  }

  private static func records(
    _ records: Machine.Records, in state: Value
  ) -> [(keys: [String], record: Value)] {
    var found: [(keys: [String], record: Value)] = [([], state)]
    for name in records.path + ["*"] {
      found = found.flatMap { outer -> [(keys: [String], record: Value)] in
        guard name == "*" else {
          return outer.record[name].map { [(outer.keys, $0)] } ?? []
        }
        return inside(outer.record).map { (outer.keys + [$0.key], $0.value) }
      }
    }
    return found
  }

  private static func inside(_ value: Value) -> [(key: String, value: Value)] {
    switch value {
    case .list(let elements): elements.enumerated().map { ("\($0 + 1)", $1) }
    case .record(let fields): fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    case .map(let entries): entries.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
    default: []
    }
  }
}
