import FlowLanguage
import LuaRuntime
import StateCharts

/// A machine in the form that a dispatch uses: its tables, and the Lua functions and texts behind their numbers.
package final class LoadedMachine: Sendable {
  package let name: String
  /// The machine's index among the flow's machines.
  package let index: Int
  package let chart: CompiledChart
  /// The index of its first region among those of all machines.
  let firstRegion: Int
  /// Its regions among those of all machines; empty for a machine of records.
  package let regions: Range<Int>
  /// The names of its regions' fields as Lua strings; nil for a region without one.
  package let fields: [LuaReference?]
  /// The value of a field at each leaf, as Lua strings.
  package let values: [LuaReference]
  /// The Lua functions, by the chart's function numbers.
  package let functions: [FlowFunction]
  /// The leaf of each region before anything has happened; -1 if a macrostep enters the initial states.
  package let beginning: [ChartInterpreter.LeafNumber]
  /// The states that are active then, in the order of entry.
  package let entered: [ChartInterpreter.StateNumber]
  /// The states with timers, postponed actions or effects, by path.
  package let stateEffectTriggers: [String: ChartInterpreter.StateNumber]
  /// True if there are any such states.
  package let lasts: Bool
  /// The actions that states of the machine postpone.
  package let postponed: Set<String>
  /// The readers of the conditions of eventless transitions, by the numbers of their functions.
  package let conditionReaders: [Chart.Function: Int32]
  /// The history values that are stored, by number: of which state, and how deep.
  let historyStates: [(state: ChartInterpreter.StateNumber, isDeep: Bool)]
  /// The numbers of states by path; empty if there are no history states.
  private let numbers: [String: ChartInterpreter.StateNumber]
  /// The numbers of the timers of timed transitions, by state.
  private let timedTransitions: [ChartInterpreter.StateNumber: [Int]]
  /// True if the machine has one region and all its transitions are computed in advance.
  package let isPrepared: Bool
  /// The records that have the machine; nil for a machine of the state.
  package let records: LoadedRecords?
  /// The dialect of the machine: flow or SCXML.
  package let dialect: Chart.Dialect
  /// The states by name, for the predicate `In` of a document.
  let stateNumbers: [String: ChartInterpreter.StateNumber]

  init(_ machine: Machine, index: Int, firstRegion: Int, records: LoadedRecords?) {
    self.records = records
    name = machine.name
    self.index = index
    chart = machine.compiled
    self.firstRegion = firstRegion
    regions = firstRegion..<firstRegion + (records == nil ? machine.compiled.heads.count : 0)
    fields = machine.fieldReferences
    values = machine.valueReferences
    functions = machine.functions
    dialect = machine.chart.dialect
    stateNumbers =
      dialect.acceptsAnyEvent
      ? Dictionary(
        machine.chart.states.enumerated().dropFirst().map {
          ($1.name, ChartInterpreter.StateNumber($0))
        },
        uniquingKeysWith: { first, _ in first }) : [:]
    var interpreter = ChartInterpreter(chart)
    var beginning: [ChartInterpreter.LeafNumber] = []
    interpreter.begin(&beginning, remembering: interpreter.noMemory)
    // A session of a document enters its initial states by running their content.
    self.beginning = dialect.entersByMacrostep ? beginning.map { _ in -1 } : beginning
    entered = dialect.entersByMacrostep ? [] : interpreter.lists.entered
    let tables = machine.compiled
    var stateEffectTriggers: [String: ChartInterpreter.StateNumber] = [:]
    for (number, state) in machine.chart.states.enumerated()
    where state.lasts {
      stateEffectTriggers[state.path] = ChartInterpreter.StateNumber(number)
    }
    self.stateEffectTriggers = stateEffectTriggers
    lasts = !stateEffectTriggers.isEmpty
    postponed = Set(
      machine.chart.states.lazy.flatMap(\.transitions).filter(\.postpones).compactMap {
        if case .action(let name) = $0.trigger { name } else { nil }
      })
    conditionReaders = machine.conditionReaders
    historyStates = LoadedMachine.historyStates(of: tables)
    numbers =
      historyStates.isEmpty
      ? [:]
      : Dictionary(
        tables.chart.states.enumerated().map { ($1.path, ChartInterpreter.StateNumber($0)) },
        uniquingKeysWith: { first, _ in first })
    var timedTransitions: [ChartInterpreter.StateNumber: [Int]] = [:]
    for state in stateEffectTriggers.values {
      let timers = machine.chart.states[Int(state)].timers
      let timed = timers.indices.filter { timers[$0].due == .transition }
      if !timed.isEmpty { timedTransitions[state] = timed }
    }
    self.timedTransitions = timedTransitions
    isPrepared =
      !dialect.runsContentByBlock && tables.heads.count == 1 && tables.historyStateCount == 0
      && beginning.first.map { tables.nodes[Int(tables.leafStates[Int($0)])].kind != .parallel }
        == true
      && tables.offerCount <= LoadedMachine.mostPrepared(of: tables)
  }

  /// Returns the greatest number of transitions that are prepared.
  ///
  /// The transitions that outer states list are prepared for each leaf. For many states and many actions these would be
  /// as many as the product of both.
  private static func mostPrepared(of chart: CompiledChart) -> Int { 10_000 + 8 * chart.rows.count }

  /// Returns the index of a timed transition among those of its state, by the number of its timer.
  func timedTransition(_ timer: Int, of state: ChartInterpreter.StateNumber) -> Int {
    let timed = timedTransitions[state] ?? []
    var (low, high) = (0, timed.count)
    while low < high {
      let middle = (low + high) / 2
      if timed[middle] < timer { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the number of the timer of a timed transition; nil if there is no such transition.
  package func timer(ofTimedTransition transition: Int, of state: ChartInterpreter.StateNumber)
    -> Int?
  {
    guard let timed = timedTransitions[state], timed.indices.contains(transition) else {
      return nil
    }
    return timed[transition]
  }

  /// Returns the state with this path, if the machine has history states; otherwise nil.
  package func number(of path: String) -> ChartInterpreter.StateNumber? { numbers[path] }

  private static func historyStates(
    of chart: CompiledChart
  ) -> [(state: ChartInterpreter.StateNumber, isDeep: Bool)] {
    var historyStates = Array(
      repeating: (state: ChartInterpreter.StateNumber(0), isDeep: false),
      count: chart.historyStateCount)
    if historyStates.isEmpty { return [] }
    for (number, node) in chart.nodes.enumerated() {
      if node.shallow >= 0 { historyStates[Int(node.shallow)] = (Int32(number), false) }
      if node.deep >= 0 { historyStates[Int(node.deep)] = (Int32(number), true) }
    }
    return historyStates
  }

  /// Returns true if a state is active, given the leaves of the regions of all machines.
  package func isActive(
    _ state: ChartInterpreter.StateNumber, at leafNumbers: [ChartInterpreter.LeafNumber]
  ) -> Bool {
    let leafNumber = leafNumbers[firstRegion + Int(chart.nodes[Int(state)].region)]
    return leafNumber >= 0 && chart.contains(state, chart.leafStates[Int(leafNumber)])
  }

  /// Returns the value of a machine's field for a leaf; nil for a region that is not active.
  package func value(of leafNumber: ChartInterpreter.LeafNumber) -> String? {
    leafNumber < 0 ? nil : chart.value(of: leafNumber)
  }

  /// Returns the owner of a state's timers, which stop when the state is left.
  package func owner(of state: ChartInterpreter.StateNumber, keys: [Value] = [])
    -> PendingTimer.Owner
  {
    .state(active(state, keys: keys))
  }

  /// Returns the state in the form in which its timers and effects refer to it.
  package func active(_ state: ChartInterpreter.StateNumber, keys: [Value] = []) -> ActiveState {
    ActiveState(machine: name, state: chart.chart.states[Int(state)].path, keys: keys)
  }

  package func reference(_ function: Chart.Function) -> LuaReference {
    functions[Int(function)].reference
  }
}

/// A microstep of one machine.
package final class Microstep: Sendable {
  package let machine: LoadedMachine
  /// The number of the selected record that has the machine; 0 for a machine of the state.
  package let record: UInt32
  /// The transitions that the machine takes.
  package let transitions: [ChartInterpreter.TransitionNumber]
  /// The regions whose leaf changes.
  package let changes: [ChartInterpreter.Change]
  /// The states that are left, innermost and last-listed first.
  package let left: [ChartInterpreter.StateNumber]
  /// The states that are entered, outermost and first-listed first.
  package let entered: [ChartInterpreter.StateNumber]
  /// The states of a document that were entered by default, and its history states without a value.
  package let defaults: [ChartInterpreter.StateNumber]
  /// The history values after the microstep; nil if there are none.
  package let memory: ChartInterpreter.HistoryValue?
  /// The entered states that have effects.
  package var begun: [ChartInterpreter.StateNumber] {
    machine.stateEffectTriggers.isEmpty
      ? [] : entered.filter { machine.chart.nodes[Int($0)].hasEffect }
  }

  package init(
    _ machine: LoadedMachine, of record: UInt32 = 0, after interpreter: ChartInterpreter,
    remembering memory: ChartInterpreter.HistoryValue? = nil
  ) {
    self.machine = machine
    self.record = record
    self.memory = machine.historyStates.isEmpty ? nil : memory
    transitions = interpreter.taken
    defaults = machine.dialect.runsContentByBlock ? interpreter.defaults : []
    (changes, left, entered) = interpreter.lists
  }

  /// Creates a microstep from one configuration to another without a transition.
  package init(
    _ machine: LoadedMachine, from: [ChartInterpreter.LeafNumber],
    to: [ChartInterpreter.LeafNumber],
    entered: [ChartInterpreter.StateNumber], of record: UInt32 = 0
  ) {
    self.machine = machine
    self.record = record
    transitions = []
    changes = from.indices.compactMap { region in
      from[region] == to[region]
        ? nil : ChartInterpreter.Change(region: Int32(region), from: from[region], to: to[region])
    }
    left = from.indices.reversed().flatMap { region -> [ChartInterpreter.StateNumber] in
      guard from[region] >= 0 else { return [] }
      var state = machine.chart.leafStates[Int(from[region])]
      var left: [ChartInterpreter.StateNumber] = []
      while state >= machine.chart.heads[region] {
        left.append(state)
        state = machine.chart.nodes[Int(state)].parent
      }
      return left
    }
    self.entered = entered
    defaults = []
    memory = nil
  }

  /// Creates the microstep in which the machine enters its initial states.
  package convenience init(beginning machine: LoadedMachine) {
    self.init(
      machine, from: machine.beginning.map { _ in -1 }, to: machine.beginning,
      entered: machine.entered)
  }

  private init(_ other: Microstep, left: [ChartInterpreter.StateNumber]) {
    (machine, transitions, changes, self.left) = (
      other.machine, other.transitions, other.changes, left
    )
    record = other.record
    defaults = other.defaults
    (entered, memory) = (other.entered, other.memory)
  }

  /// Writes the new leaves into the configuration of all machines.
  ///
  /// The configuration of a record's machine is in the state alone.
  @inline(__always)
  package func apply(to leafNumbers: inout [ChartInterpreter.LeafNumber]) {
    for change in changes where record == 0 {
      leafNumbers[machine.firstRegion + Int(change.region)] = change.to
    }
  }

  /// A copy without the states that are left, so that no `on_exit` runs.
  var withoutLeaving: Microstep { Microstep(self, left: []) }

  /// Returns true if each microstep is of another machine.
  ///
  /// Two microsteps of a machine of records may be of the same record.
  static func areApart(_ moves: [Microstep]) -> Bool {
    for place in moves.indices.dropFirst() {
      if moves[place].machine.index <= moves[place - 1].machine.index { return false }
    }
    return true
  }

  /// The identity of a machine that moves: its index and the keys of its record; a machine of the state has no keys.
  struct MachineID: Hashable {
    package let machine: Int
    package let keys: [Value]
  }

  /// Returns the states that each of successive microsteps has entered and that were not left again.
  ///
  /// - Parameter keys: the keys of each microstep's record; nil for a microstep that is passed over.
  static func stillEntered(
    by moves: [Microstep], of keys: [[Value]?]
  ) -> [[ChartInterpreter.StateNumber]] {
    var gone: [MachineID: Set<ChartInterpreter.StateNumber>] = [:]
    var entered: [[ChartInterpreter.StateNumber]] = []
    for (move, keys) in zip(moves, keys).reversed() {
      guard let keys else {
        entered.append([])
        continue
      }
      let mover = MachineID(machine: move.machine.index, keys: keys)
      let left = gone[mover] ?? []
      entered.append(move.entered.filter { !left.contains($0) })
      gone[mover, default: []].formUnion(move.left)
    }
    return entered.reversed()
  }

  /// True if an eventless transition may be enabled after the microstep.
  var leadsOn: Bool { machine.chart.hasEventless && !changes.isEmpty }

  /// True if one of the transitions restarts timers.
  package var restarts: Bool {
    transitions.contains { machine.chart.transition($0).restarts != nil }
  }

  /// True if timers are restarted, or if a state with timers, postponed actions or an effect is left or entered.
  var stopsOrStarts: Bool {
    restarts
      || (left + entered).contains {
        let node = machine.chart.nodes[Int($0)]
        return node.hasTimers || node.hasEffect
      }
  }
}
