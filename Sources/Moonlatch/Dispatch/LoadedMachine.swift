import LuaRuntime
import StateCharts

/// A machine as a dispatch needs it: its tables, and behind their numbers Lua's functions and texts.
final class LoadedMachine: Sendable {
  let name: String
  /// Its number among the flow's machines.
  let index: Int
  let chart: CompiledChart
  /// Where its regions' stops begin among those of all machines.
  let firstRegion: Int
  /// The names of its regions' fields as Lua strings; nil for a region without one.
  let fields: [LuaReference?]
  /// What a field says at each stop, as Lua strings.
  let values: [LuaReference]
  /// What is behind the chart's functions.
  let functions: [FlowFunction]
  /// The stop of each region before anything has happened.
  let beginning: [Planner.Stop]
  /// All that is active then, in the order in which it is entered.
  let entered: [Planner.StateNumber]
  /// The states with timers or effects, by their paths.
  let lasting: [String: Planner.StateNumber]
  /// Whether it has one region whose ways are all known beforehand: they are prepared.
  let isPrepared: Bool
  /// The records that have it; nil for a machine of the state.
  let records: LoadedRecords?

  init(_ machine: Machine, index: Int, firstRegion: Int, records: LoadedRecords?) {
    self.records = records
    name = machine.name
    self.index = index
    chart = machine.compiled
    self.firstRegion = firstRegion
    fields = machine.fieldReferences
    values = machine.valueReferences
    functions = machine.functions
    var planner = Planner(chart)
    var beginning: [Planner.Stop] = []
    planner.begin(&beginning, remembering: planner.noMemory)
    self.beginning = beginning
    entered = Array(planner.entered)
    let tables = machine.compiled
    var lasting: [String: Planner.StateNumber] = [:]
    for (number, state) in machine.chart.states.enumerated()
    where !state.timers.isEmpty || state.effect != nil {
      lasting[state.path] = Planner.StateNumber(number)
    }
    self.lasting = lasting
    isPrepared =
      tables.heads.count == 1 && !tables.hasRounds && tables.keeperCount == 0
      && beginning.first.map { tables.nodes[Int(tables.stopStates[Int($0)])].kind != .parallel }
        == true
  }

  var regions: Range<Int> {
    firstRegion..<firstRegion + (records == nil ? chart.heads.count : 0)
  }

  /// What a machine's field says; nil for a region that is not active.
  func value(of stop: Planner.Stop) -> String? { stop < 0 ? nil : chart.value(of: stop) }

  /// Who stops a state's timers by going away.
  func owner(of state: Planner.StateNumber, keys: [Value] = []) -> PendingTimer.Owner {
    .state(active(state, keys: keys))
  }

  /// The state, as what lasts while it is active knows it.
  func active(_ state: Planner.StateNumber, keys: [Value] = []) -> ActiveState {
    ActiveState(machine: name, state: chart.chart.states[Int(state)].path, keys: keys)
  }

  func reference(_ function: Chart.Function) -> LuaReference { functions[Int(function)].reference }
}

/// What one machine does in a transition.
final class MachineMove: Sendable {
  let machine: LoadedMachine
  /// The selected record whose machine it is; 0 for a machine of the state.
  let record: UInt32
  /// The ways that it goes.
  let ways: [Planner.WayNumber]
  /// The regions that stand elsewhere.
  let changes: [Planner.Change]
  /// Innermost and last-listed first.
  let left: [Planner.StateNumber]
  /// Outermost and first-listed first.
  let entered: [Planner.StateNumber]

  init(_ machine: LoadedMachine, of record: UInt32 = 0, after planner: Planner) {
    self.machine = machine
    self.record = record
    ways = planner.taken
    changes = Array(planner.changes)
    left = Array(planner.left)
    entered = Array(planner.entered)
  }

  /// From anywhere to where nothing leads.
  init(
    _ machine: LoadedMachine, from: [Planner.Stop], to: [Planner.Stop],
    entered: [Planner.StateNumber], of record: UInt32 = 0
  ) {
    self.machine = machine
    self.record = record
    ways = []
    changes = from.indices.compactMap { region in
      from[region] == to[region]
        ? nil : Planner.Change(region: Int32(region), from: from[region], to: to[region])
    }
    left = from.indices.reversed().flatMap { region -> [Planner.StateNumber] in
      guard from[region] >= 0 else { return [] }
      var state = machine.chart.stopStates[Int(from[region])]
      var left: [Planner.StateNumber] = []
      while state >= machine.chart.heads[region] {
        left.append(state)
        state = machine.chart.nodes[Int(state)].parent
      }
      return left
    }
    self.entered = entered
  }

  private init(_ other: MachineMove, left: [Planner.StateNumber]) {
    (machine, ways, changes, self.left) = (other.machine, other.ways, other.changes, left)
    record = other.record
    entered = other.entered
  }

  /// The same without what runs as states are left.
  var withoutLeaving: MachineMove { MachineMove(self, left: []) }

  /// Whether anything is left or entered that has timers or an effect.
  var stopsOrStarts: Bool {
    (left + entered).contains {
      let node = machine.chart.nodes[Int($0)]
      return node.hasTimers || node.hasEffect
    }
  }
}

/// Where an action moves one machine.
final class ActionWays: Sendable {
  /// A prepared way out of a stop.
  struct Offered: Sendable {
    let guardRule: LuaReference?
    /// Nil where the way forbids.
    let way: Way?
    let number: Planner.WayNumber
  }

  let machine: LoadedMachine
  var index: Int { machine.index }
  /// The action's number in the chart.
  let action: Planner.ActionNumber
  /// How its payload says which records it is about, if those have the machine.
  let selection: RecordSelection?
  /// The ways out of all stops, those of one stop behind each other; none where they are not prepared.
  private let offered: [Offered]
  /// The guard of each.
  let guards: [LuaReference?]
  /// The same ways, for going there without counting references: `offered` keeps them, a loaded action
  /// keeps this, and a dispatch keeps the action until it is over.
  private let references: [Unmanaged<Way>?]
  /// The stops with ways out, in order.
  private let stops: [Planner.Stop]
  /// Where the ways of each of these begin, and where the last ones end.
  private let starts: [Int]

  init?(of action: Action, in machine: LoadedMachine) {
    guard let number = machine.chart.action(action.name) else { return nil }
    self.machine = machine
    self.action = number
    selection = machine.records?.selection(for: action)
    var offered: [Offered] = []
    var stops: [Planner.Stop] = []
    var starts = [0]
    if machine.isPrepared {
      var planner = Planner(machine.chart)
      var shared: [Planner.WayNumber: Way] = [:]
      for stop in machine.chart.stopStates.indices.map(Planner.Stop.init) {
        let ways = machine.chart.offers(number, at: stop)
        if ways.isEmpty { continue }
        for way in ways {
          offered.append(
            ActionWays.offer(way, from: stop, of: action, in: machine, &planner, &shared))
        }
        stops.append(stop)
        starts.append(offered.count)
      }
    }
    (self.offered, self.stops, self.starts) = (offered, stops, starts)
    guards = offered.map(\.guardRule)
    references = offered.map { $0.way.map { .passUnretained($0) } }
  }

  private static func offer(
    _ number: Planner.WayNumber, from stop: Planner.Stop, of action: Action,
    in machine: LoadedMachine, _ planner: inout Planner,
    _ shared: inout [Planner.WayNumber: Way]
  ) -> Offered {
    let row = machine.chart.rows[Int(number)]
    let way = machine.chart.way(number)
    let guardRule = way.condition.map(machine.reference)
    guard row.reach != .forbids else {
      return Offered(guardRule: guardRule, way: nil, number: number)
    }
    var configuration = [stop]
    var memory = planner.noMemory
    planner.taken = [number]
    planner.move(&configuration, remembering: &memory)
    let move = MachineMove(machine, of: machine.records == nil ? 0 : 1, after: planner)
    return Offered(guardRule: guardRule, way: Way(move, action.reducer?.reference), number: number)
  }

  /// The numbers of the ways out of a stop; none where the action is not possible.
  func numbers(from stop: Planner.Stop) -> Range<Int> {
    // By halving, since only the stops that have such a way are kept: a table of all stops for each
    // action would take stops times actions.
    var (low, high) = (0, stops.count)
    while low < high {
      let middle = (low + high) / 2
      if stops[middle] < stop { low = middle + 1 } else { high = middle }
    }
    guard low < stops.count, stops[low] == stop else { return 0..<0 }
    return starts[low]..<starts[low + 1]
  }

  subscript(number: Int) -> Offered { offered[number] }

  /// Nil where the way forbids.
  func reference(_ number: Int) -> Unmanaged<Way>? { references[number] }
}

/// One way of a machine from one stop to another, ready to be gone.
final class Way: Sendable {
  let move: MachineMove
  /// What happens to the state if no other machine moves.
  let steps: TransitionSteps
  /// Whether anything is left or entered that has timers or an effect.
  let stopsOrStarts: Bool

  fileprivate init(_ move: MachineMove, _ reducer: LuaReference?) {
    self.move = move
    steps = TransitionSteps([move], reducer: reducer)
    stopsOrStarts = move.stopsOrStarts
  }
}
