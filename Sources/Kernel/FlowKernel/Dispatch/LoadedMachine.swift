import FlowLanguage
import LuaRuntime
import StateCharts

/// A machine as a dispatch needs it: its tables, and behind their numbers Lua's functions and texts.
package final class LoadedMachine: Sendable {
  package let name: String
  /// Its number among the flow's machines.
  package let index: Int
  package let chart: CompiledChart
  /// Where its regions' stops begin among those of all machines.
  let firstRegion: Int
  /// Its regions among those of all machines; none where they are records'.
  package let regions: Range<Int>
  /// The names of its regions' fields as Lua strings; nil for a region without one.
  package let fields: [LuaReference?]
  /// What a field says at each stop, as Lua strings.
  package let values: [LuaReference]
  /// What is behind the chart's functions.
  package let functions: [FlowFunction]
  /// The stop of each region before anything has happened.
  package let beginning: [ChartInterpreter.LeafNumber]
  /// All that is active then, in the order in which it is entered.
  package let entered: [ChartInterpreter.StateNumber]
  /// The states with timers or effects, by their paths.
  package let stateEffectTriggers: [String: ChartInterpreter.StateNumber]
  /// True if there are any.
  package let lasts: Bool
  /// The actions that states of it postpone.
  package let postponed: Set<String>
  /// The readers of conditions that no action asks for, by the numbers of these functions.
  package let conditionReaders: [Chart.Function: Int32]
  /// What history remembers, by number: of which state, and how deep.
  let historyStates: [(state: ChartInterpreter.StateNumber, isDeep: Bool)]
  /// The numbers of states by their paths, where history remembers any.
  private let numbers: [String: ChartInterpreter.StateNumber]
  /// For each state with timed transitions the numbers of their timers.
  private let timedTransitions: [ChartInterpreter.StateNumber: [Int]]
  /// True if it has one region whose transitions are all known beforehand: they are prepared.
  package let isPrepared: Bool
  /// The records that have it; nil for a machine of the state.
  package let records: LoadedRecords?
  /// The rules by which it moves.
  package let dialect: Chart.Dialect
  /// The states by their names, for the predicate `In` of a document.
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
    // A session of a document begins by running what its states do.
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

  /// As many transitions are prepared: what the states around list is prepared for each stop, which of many states and many
  /// actions would be as many as both multiplied.
  private static func mostPrepared(of chart: CompiledChart) -> Int { 10_000 + 8 * chart.rows.count }

  /// The number of a timed transition among those of its state, by the number of its timer.
  func timedTransition(_ timer: Int, of state: ChartInterpreter.StateNumber) -> Int {
    let timed = timedTransitions[state] ?? []
    var (low, high) = (0, timed.count)
    while low < high {
      let middle = (low + high) / 2
      if timed[middle] < timer { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The number of the timer of a timed transition.
  package func timer(ofTimedTransition transition: Int, of state: ChartInterpreter.StateNumber)
    -> Int?
  {
    guard let timed = timedTransitions[state], timed.indices.contains(transition) else {
      return nil
    }
    return timed[transition]
  }

  /// The state of that path, where history remembers any.
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

  /// True if a state is active where the regions of all machines are at these stops.
  package func isActive(
    _ state: ChartInterpreter.StateNumber, at leafNumbers: [ChartInterpreter.LeafNumber]
  ) -> Bool {
    let leafNumber = leafNumbers[firstRegion + Int(chart.nodes[Int(state)].region)]
    return leafNumber >= 0 && chart.contains(state, chart.leafStates[Int(leafNumber)])
  }

  /// What a machine's field says; nil for a region that is not active.
  package func value(of leafNumber: ChartInterpreter.LeafNumber) -> String? {
    leafNumber < 0 ? nil : chart.value(of: leafNumber)
  }

  /// Who stops a state's timers by going away.
  package func owner(of state: ChartInterpreter.StateNumber, keys: [Value] = [])
    -> PendingTimer.Owner
  {
    .state(active(state, keys: keys))
  }

  /// The state, as what lasts while it is active knows it.
  package func active(_ state: ChartInterpreter.StateNumber, keys: [Value] = []) -> ActiveState {
    ActiveState(machine: name, state: chart.chart.states[Int(state)].path, keys: keys)
  }

  package func reference(_ function: Chart.Function) -> LuaReference {
    functions[Int(function)].reference
  }
}

/// What one machine does in a transition.
package final class Microstep: Sendable {
  package let machine: LoadedMachine
  /// The selected record whose machine it is; 0 for a machine of the state.
  package let record: UInt32
  /// The transitions that it takes.
  package let transitions: [ChartInterpreter.TransitionNumber]
  /// The regions that stand elsewhere.
  package let changes: [ChartInterpreter.Change]
  /// Innermost and last-listed first.
  package let left: [ChartInterpreter.StateNumber]
  /// Outermost and first-listed first.
  package let entered: [ChartInterpreter.StateNumber]
  /// The states of a document that were entered by default, and its history states without a value.
  package let defaults: [ChartInterpreter.StateNumber]
  /// The history values from then on; nil if there are none.
  package let memory: ChartInterpreter.HistoryValue?
  /// Those of them that have effects.
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

  /// From anywhere to where nothing leads.
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

  /// To where the machine begins.
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

  /// Puts what has moved where it stands now, among the stops of all machines' regions.
  ///
  /// Where the machine of a record stands is in the state alone.
  @inline(__always)
  package func apply(to leafNumbers: inout [ChartInterpreter.LeafNumber]) {
    for change in changes where record == 0 {
      leafNumbers[machine.firstRegion + Int(change.region)] = change.to
    }
  }

  /// The same without what runs as states are left.
  var withoutLeaving: Microstep { Microstep(self, left: []) }

  /// True if these are moves of one machine each; one of records may have moved the same one again.
  static func areApart(_ moves: [Microstep]) -> Bool {
    for place in moves.indices.dropFirst() {
      if moves[place].machine.index <= moves[place - 1].machine.index { return false }
    }
    return true
  }

  /// Whose machine moves: a machine of the state has no keys.
  struct MachineID: Hashable {
    package let machine: Int
    package let keys: [Value]
  }

  /// The states that each of moves behind each other has entered, and that were not left again.
  ///
  /// - Parameter keys: the keys of each move's record; nil for one that is passed over.
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

  /// True if a transition that no action asks for may be due now that it has moved.
  var leadsOn: Bool { machine.chart.hasEventless && !changes.isEmpty }

  /// True if a transition restarts timers.
  package var restarts: Bool {
    transitions.contains { machine.chart.transition($0).restarts != nil }
  }

  /// True if timers are restarted, or anything is left or entered that has timers, postponed actions or an effect.
  var stopsOrStarts: Bool {
    restarts
      || (left + entered).contains {
        let node = machine.chart.nodes[Int($0)]
        return node.hasTimers || node.hasEffect
      }
  }
}
