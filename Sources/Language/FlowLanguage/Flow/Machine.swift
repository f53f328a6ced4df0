import LuaRuntime
import StateCharts

/// A machine: a statechart with its functions, effects and field names.
///
/// It is independent of the table that it was read from (`MachineReader`), so that another reader can build an
/// equal one. A flat machine, whose states are siblings and whose transitions go from one to another, is also
/// described by `states`.
package struct Machine: Sendable {
  /// A state of a flat machine.
  package struct State: Sendable {
    package let name: String
    /// The transitions by the name of their action, in the order in which they are tried.
    package var transitions: [String: [Target]]
    package var timers: [Delay]
    package var onEnter: FlowFunction?
    package var onExit: FlowFunction?
    package let isFinal: Bool
  }

  /// The target of a transition, with its guard.
  package struct Target: Sendable {
    package let state: Int
    package let guardRule: FlowFunction?
    package let reenters: Bool
  }

  /// A timer that dispatches an action some time after the state was entered.
  package struct Delay: Sendable {
    package let action: String
    package let time: Time

    package enum Time: Sendable {
      case seconds(Double)
      case workedOut(FlowFunction)
    }
  }

  /// The records of the state, each of which has an instance of the machine.
  package struct Records: Sendable, Hashable {
    /// The names that lead to the records, with `*` for any key.
    package let path: [String]
    /// The field of a record that holds the state of its machine.
    package let field: String
    /// The payload fields that hold the keys of the record an action is about, one for each level.
    package let which: [String]
    /// The payload field that holds a list of keys, for single actions by their names.
    package let whichIn: [String: String]
    /// The actions that pass even if there is no such record.
    package let without: Set<String>

    /// The number of keys that identify a record.
    package var levels: Int { path.count { $0 == "*" } + 1 }

    /// Returns the path to a field of the record with these keys.
    package func path(to field: String, of keys: [Value]) -> StatePath {
      var keys = keys[...]
      let steps = (path + ["*"]).compactMap { name -> StatePath.Key? in
        name == "*" ? keys.popFirst().flatMap { StatePath.Key($0) } : .field(name)
      }
      return StatePath(steps + [.field(field)])
    }
  }

  package let name: String
  package let place: SourcePlace
  package let chart: Chart
  /// The chart's functions, by their numbers.
  package let functions: [FlowFunction]
  /// The state effects, by the numbers of their states.
  package let effects: [Chart.StateNumber: Effect]
  /// The records that have the machine; nil if it is a machine of the whole state.
  package let records: Records?
  /// True if `states` describes the machine too: all its states are siblings, and actions lead from one to another.
  package let isFlat: Bool
  package var states: [State]
  package let initial: Int
  /// The states that list each action, in the order of the chart, by the action's name.
  package let takers: [String: [Chart.StateNumber]]
  /// The compiled tables of the chart.
  package let compiled: CompiledChart
  /// The names of the regions' fields as Lua strings; nil for a region without a field.
  package var fieldReferences: [LuaReference?] = []
  /// The value of a field at each leaf number, as Lua strings.
  package var valueReferences: [LuaReference] = []
  /// The values that a script may give a record's field for its compound states, as Lua strings.
  package var outerReferences: [(state: Chart.StateNumber, text: LuaReference)] = []
  /// The names that lead to the machine's records as Lua strings; nil for any key.
  package var pathReferences: [LuaReference?] = []
  /// The payload fields that hold the keys of the record an action is about, as Lua strings.
  package var keyReferences: [String: LuaReference] = [:]
  /// The readers of the guards of eventless and completion transitions, by the numbers of the guards.
  package var conditionReaders: [Chart.Function: Int32] = [:]

  /// The paths of all states except history states.
  package var statePaths: [String] {
    chart.states.compactMap { state in
      if case .history = state.kind { return nil }
      return state.path.isEmpty ? nil : state.path
    }
  }

  package init(
    name: String, place: SourcePlace, states: [State], initial: Int, chart: Chart,
    functions: [FlowFunction], effects: [Chart.StateNumber: Effect], records: Records?,
    isFlat: Bool, actions: [String]
  ) {
    (self.name, self.place, self.initial) = (name, place, initial)
    (self.chart, self.functions, self.effects) = (chart, functions, effects)
    compiled = CompiledChart(chart)
    self.states = states
    (self.records, self.isFlat) = (records, isFlat)
    var takers: [String: [Chart.StateNumber]] = [:]
    for (number, state) in chart.states.enumerated() {
      for transition in state.transitions where transition.reach != .forbids {
        guard case .action(let action) = transition.trigger else { continue }
        if takers[action]?.last != Chart.StateNumber(number) {
          takers[action, default: []].append(Chart.StateNumber(number))
        }
      }
    }
    if chart.dialect.acceptsAnyEvent { takers = Machine.takers(of: actions, in: chart) }
    for action in actions where takers[action] == nil { takers[action] = [] }
    self.takers = takers
  }

  /// Returns the states of a document's chart that have transitions for these events.
  private static func takers(
    of events: [String], in chart: Chart
  ) -> [String: [Chart.StateNumber]] {
    var listed: [String: [Chart.StateNumber]] = [:]
    for (number, state) in chart.states.enumerated() {
      for case .events(let names) in state.transitions.map(\.trigger) {
        for name in names.map({ EventName($0).words ?? "*" }) {
          if listed[name]?.last != Chart.StateNumber(number) {
            listed[name, default: []].append(Chart.StateNumber(number))
          }
        }
      }
    }
    var takers: [String: [Chart.StateNumber]] = [:]
    for event in events {
      var found = Set(listed["*"] ?? [])
      var words = Substring(event)
      while true {
        found.formUnion(listed[String(words)] ?? [])
        guard let dot = words.lastIndex(of: ".") else { break }
        words = words[..<dot]
      }
      takers[event] = found.sorted()
    }
    return takers
  }

  package var title: String { "machine \(name)" }

  package func index(of state: String) -> Int? { states.firstIndex { $0.name == state } }

  /// Returns the paths of the states that list an action, sorted.
  package func states(taking action: String) -> [String] {
    (takers[action] ?? []).map { $0 == 0 ? name : chart.states[Int($0)].path }.sorted()
  }

  package func names(_ action: String) -> Bool { takers[action] != nil }
}
