import LuaRuntime
import StateCharts

/// Rounds: moves of a transition that no action asked for.
///
/// While a way of `always` or `on_done` is due, all that are move at once. Whether one is due follows from the
/// state alone, so a machine is asked only where it has moved, or where something changed that a condition of
/// its active states has read.
extension Engine {
  /// What rounds have led to.
  private struct Going {
    /// Where the regions of all machines stand.
    var stops: [Planner.Stop]
    /// What machines have done, in order.
    var moves: [MachineMove]
    /// How many of these came before the first round.
    let before: Int
    var count = 0

    init(_ moves: [MachineMove], from places: [Planner.Stop]) {
      stops = places
      for move in moves { move.apply(to: &stops) }
      (self.moves, before) = (moves, moves.count)
    }
  }

  /// Whether machines that have taken the ways of a plan may go on from there.
  @inline(__always)
  func mayGoOn(_ plan: Plan, _ moves: [MachineMove], isTouched: Bool) -> Bool {
    if isTouched { return true }
    if let way = plan.onlyWay, moves.isEmpty { return way._withUnsafeGuaranteedRef { $0.leadsOn } }
    return moves.contains(where: \.leadsOn)
  }

  /// Takes the rounds that follow on an action's own moves, and adds what machines do in them.
  func takeRounds(
    of action: String, after plan: Plan, _ moves: inout [MachineMove], isTouched: Bool
  ) throws {
    guard let rounds else { return }
    if let way = plan.onlyWay, moves.isEmpty { moves = [way.takeUnretainedValue().move] }
    var going = Going(moves, from: places)
    var asked = isTouched ? askedAgain(rounds, going) : []
    for move in moves where move.leadsOn {
      if let place = rounds.place(of: move.machine) { asked.insert(place) }
    }
    try go(on: &going, rounds, asking: asked, action)
    moves = going.moves
  }

  /// Takes the rounds that follow where machines were put, and adds what machines do in them: all are asked,
  /// and there is no payload.
  func takeRounds(
    of action: String, from stops: [Planner.Stop], _ moves: inout [MachineMove]
  ) throws {
    guard let rounds else { return }
    try vm.setEmptyPayload()
    _ = vm.takeTouchedConditions()
    var going = Going(moves, from: stops)
    try go(on: &going, rounds, asking: Set(rounds.machines.indices), action)
    moves = going.moves
  }

  /// Takes the rounds of the start.
  func takeFirstRounds(_ moves: inout [MachineMove]) throws(Rejection) {
    var all = moves
    _ = try transaction(
      for: "the initial state", checksInvariants: false, worksOutKeys: false, startsRecords: false
    ) {
    } rounds: {
      try takeRounds(of: "the initial state", from: places, &all)
    }
    for move in all.dropFirst(moves.count) { move.apply(to: &places) }
    moves = all
  }

  private func go(
    on going: inout Going, _ rounds: LoadedRounds, asking first: Set<Int>, _ action: String
  ) throws {
    var asked = first
    while !asked.isEmpty {
      var courses: [Plan.Course] = []
      var movers: Set<Int> = []
      for place in asked.sorted() {
        guard let course = try course(of: rounds.machines[place], at: going.stops, action) else {
          continue
        }
        courses.append(course)
        movers.insert(place)
      }
      if courses.isEmpty { return }
      going.count += 1
      if going.count > limits.rounds { throw endless(going) }
      let moves = moves(along: courses, from: going.stops)
      if hasHistory { for move in moves { remember(move) } }
      try vm.goOn()
      if courses.count == 1, case .prepared(let way) = courses[0] {
        try vm.take(way.takeUnretainedValue().steps, budget: budget)
      } else {
        try vm.take(TransitionSteps(moves, reducer: nil), budget: budget)
      }
      try vm.adopt()
      for move in moves { move.apply(to: &going.stops) }
      going.moves += moves
      asked = vm.takeTouchedConditions() ? askedAgain(rounds, going) : []
      asked.formUnion(movers)
    }
  }

  /// The machines of active states with conditions that have read what has changed.
  private func askedAgain(_ rounds: LoadedRounds, _ going: Going) -> Set<Int> {
    var found: Set<Int> = []
    var numbers = rounds.conditionNumbers
    while let number = vm.firstStaleReader(in: numbers) {
      numbers = number + 1..<numbers.upperBound
      if let place = rounds.place(ofActive: number, at: going.stops) { found.insert(place) }
    }
    return found
  }

  /// What a machine does in the next round, if any of its ways is due.
  private func course(
    of machine: LoadedRounds.Machine, at stops: [Planner.Stop], _ action: String
  ) throws(Rejection) -> Plan.Course? {
    let loaded = machine.loaded
    if let ways = machine.ways {
      for number in ways.numbers(from: stops[loaded.firstRegion]) {
        if let reader = machine.conditions[number],
          try !agrees(reader, to: ways[number].number, loaded, action)
        {
          continue
        }
        return ways.reference(number).map { .prepared($0) }
      }
      return nil
    }
    vm.spend(loaded.regions.count)
    let configuration = Array(stops[loaded.regions])
    var planner = takePlanner(of: loaded)
    defer { planners[loaded.index] = planner }
    let found = try planner.selectRound(at: configuration) { (number) throws(Rejection) in
      let condition = loaded.chart.rows[Int(number)].condition
      guard let reader = loaded.conditionReaders[condition] else { return true }
      return try agrees(reader, to: number, loaded, action)
    }
    guard found else { return nil }
    planner.filter(at: configuration, remembering: memory(of: loaded, planner))
    return .chosen(loaded, planner.taken)
  }

  private func agrees(
    _ reader: Int32, to number: Planner.WayNumber, _ machine: LoadedMachine, _ action: String
  ) throws(Rejection) -> Bool {
    switch vm.askCondition(reader, budget: budget) {
    case .passed: return true
    case .refused: return false
    case .nothing:
      let way = machine.chart.way(number)
      let function = machine.functions[Int(machine.chart.rows[Int(number)].condition)]
      let message =
        "machine \(machine.name): \(machine.path(of: way.source)): the when of "
        + "\(way.trigger == .done ? "on_done" : "always") returned nothing; end it with \"return\" and "
        + "a condition"
      throw .failed(
        DispatchFailure(
          kind: .script, action: action, message: message,
          script: ScriptError(.runtime, message, at: function.place)))
    case .raised(let error): throw .failed(scriptFailure(error, action: action))
    }
  }

  // MARK: Without an end

  private func endless(_ going: Going) -> ScriptError {
    let last = going.moves.dropFirst(going.before)
    var told: [String] = []
    for machine in loadedMachines where told.count < 3 {
      let states = last.lazy.filter { $0.machine.index == machine.index }.flatMap(\.ways)
        .map { machine.path(of: machine.chart.rows[Int($0)].source) }
      let circle = Engine.circle(Array(states.suffix(100)))
      if !circle.isEmpty { told.append("\(machine.name): \(circle.joined(separator: " -> "))") }
    }
    let place = last.last.flatMap { move in
      move.ways.last.flatMap { SourcePlace(move.machine.chart.way($0).place) }
    }
    var error = ScriptError(
      kind: .limit,
      message: "always and on_done lead on and on (\(limits.rounds) rounds): "
        + told.joined(separator: "; ")
        + "; a condition has to end once its way was taken")
    if let place { error.take(place) }
    return error
  }

  /// The states that were left last, from where they come again on, at most ten.
  private static func circle(_ states: [String]) -> [String] {
    guard let last = states.last else { return [] }
    var circle = [last]
    for state in states.dropLast().reversed() where circle.count < 10 {
      circle.append(state)
      if state == last { break }
    }
    return circle.reversed()
  }
}
