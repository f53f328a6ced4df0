import LuaRuntime
import StateCharts

/// A machine: a state variable and the table that says which actions move it where.
///
/// It knows nothing of the table that it was read from (`MachineReader`), so that another reader can build
/// the same one. A flat one, of states beside each other and actions that lead from one to another, is told by
/// `states` as well.
package struct Machine: Sendable {
  /// A named state.
  package struct State: Sendable {
    package let name: String
    /// Action's name -> where it leads from here, tried in order.
    package var transitions: [String: [Target]]
    package var timers: [Delay]
    package var onEnter: FlowFunction?
    package var onExit: FlowFunction?
    package let isFinal: Bool
  }

  /// Where a transition leads, and when.
  package struct Target: Sendable {
    package let state: Int
    package let guardRule: FlowFunction?
    package let reenters: Bool
  }

  /// An action that is due some time after the state was entered.
  package struct Delay: Sendable {
    package let action: String
    package let time: Time
    /// The delay as the flow has it, where that is a text such as `14d`.
    package let written: String?

    package enum Time: Sendable {
      case seconds(Double)
      case workedOut(FlowFunction)
    }
  }

  /// The records of the state each of which has the machine.
  package struct Records: Sendable, Hashable {
    /// The names that lead to them, `*` standing for all.
    package let path: [String]
    /// The field of a record that says where its machine stands.
    package let field: String
    /// The fields of payloads that say which record an action is about, one for each level.
    package let which: [String]
    /// The same for single actions, by name: a field with a list of them.
    package let whichIn: [String: String]
    /// The actions that pass where there is no such record.
    package let without: Set<String>

    /// How many keys tell one record from the others.
    package var levels: Int { path.count { $0 == "*" } + 1 }

    /// The path to a field of the record with these keys.
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
  /// What the chart's functions are, by their numbers.
  package let functions: [FlowFunction]
  /// The effects that last while states do.
  package let effects: [Chart.StateNumber: Effect]
  /// What it is a machine of, if not of the state.
  package let records: Records?
  /// True if it is told by `states` too: states beside each other, and actions that lead from one to another.
  package let isFlat: Bool
  package var states: [State]
  package let initial: Int
  /// For each action that the machine names the states of the chart that list it, in their order.
  package let takers: [String: [Chart.StateNumber]]
  /// The chart's tables.
  package let compiled: CompiledChart
  /// The names of its regions' fields as Lua strings; nil for a region without one.
  package var fieldReferences: [LuaReference?] = []
  /// What a field says at each stop, as Lua strings.
  package var valueReferences: [LuaReference] = []
  /// What a record's field may be given for its states with states inside, as Lua strings.
  package var outerReferences: [(state: Chart.StateNumber, text: LuaReference)] = []
  /// The names that lead to its records as Lua strings; nil for any key.
  package var pathReferences: [LuaReference?] = []
  /// The fields of payloads that say which record an action is about, as Lua strings.
  package var keyReferences: [String: LuaReference] = [:]
  /// The readers of the conditions of ways that no action asks for, by the conditions' numbers.
  package var conditionReaders: [Chart.Function: Int32] = [:]

  /// The paths of the states in which it can be.
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

  /// The states of a document's chart with transitions for these events.
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

  /// The paths of the states that list an action, sorted.
  package func states(taking action: String) -> [String] {
    (takers[action] ?? []).map { $0 == 0 ? name : chart.states[Int($0)].path }.sorted()
  }

  package func names(_ action: String) -> Bool { takers[action] != nil }
}
