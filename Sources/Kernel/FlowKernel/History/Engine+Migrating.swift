import FlowLanguage
import LuaRuntime
import StateCharts

/// Checks a flow against a state that an earlier version of it has left.
extension Engine {
  /// Takes over a state that an earlier version has left, as a host does that finds it in a journal.
  ///
  /// This engine must have just begun. Fields that the state omits keep their initial values. The machines' states
  /// count as entered now, so that each of their timers is pending with its full delay.
  ///
  /// Returns the failure if there is one; this engine must then be discarded.
  package func takeUp(_ state: Value, ofVersion version: Int) -> DispatchFailure? {
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    caseState.stopTimers { _ in true }
    caseState.queue.removeAll()
    var moves: [Microstep] = []
    do throws(Rejection) {
      let result = try transaction(for: "the migration") {
        try takeOver(state, try migration(from: version).compactMap(\.function))
        moves = try goOn { _ in [] }
      } eventless: {
        try takeEventlessMicrosteps(of: "the migration", from: derived.configuration, &moves)
      } delays: { () throws(ScriptError) in
        try workOutDelays(entering: moves)
      }
      standRecords()
      for move in moves { apply(move, stops: false) }
      start(result.delays ?? [], Cause(revision: revision))
      return nil
    } catch {
      return error.failure
    }
  }

  /// Returns the active states, by machine, of a state that an earlier version has left; nil if the state does not fit.
  ///
  /// This engine must have just begun, and must be discarded afterwards. It neither checks invariants nor takes
  /// eventless transitions: the rest of the state may be anything.
  package func standing(after state: Value, ofVersion version: Int) -> [String: [String]]? {
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    do throws(Rejection) {
      _ = try transaction(
        for: "the migration", checksInvariants: false, worksOutKeys: false, startsRecords: false
      ) {
        try takeOver(state, try migration(from: version).compactMap(\.function))
        for move in try goOn(knowing: { _ in [] }) { move.apply(to: &derived.configuration) }
      }
      return standing
    } catch {
      return nil
    }
  }

  private func takeOver(_ state: Value, _ functions: [FlowFunction]) throws {
    var writer = ValueWriter()
    writer.write(state)
    let names = state.recordValue.map { Set($0.keys) } ?? []
    try take(state: writer.bytes, declaring: flow.rootNames.filter(names.contains), functions)
    try expectStates()
    readMachines()
    readMemories()
    let steps = TransactionSteps.leaving(
      try goOn(knowing: saidPaths).map(\.withoutLeaving), reducer: nil)
    if !steps.isEmpty { try vm.take(TransactionSteps(steps), budget: budget) }
  }

  /// Returns the states that a migration has renamed.
  ///
  /// A state counts as renamed if it was active and no longer exists, and if exactly one other state of its machine at
  /// the same depth is active that did not exist before.
  func statesRenamed(from old: Engine) -> [ActiveState: ActiveState] {
    var renamed: [ActiveState: ActiveState] = [:]
    for machine in loadedMachines {
      guard let before = old.loadedMachines.first(where: { $0.name == machine.name }) else {
        continue
      }
      let (was, has) = (before.paths, machine.paths)
      let gone = Dictionary(grouping: old.activePaths(of: machine.name).subtracting(has), by: depth)
      let new = Dictionary(grouping: saidPaths(of: machine.name).subtracting(was), by: depth)
      for (depth, old) in gone {
        guard let state = new[depth]?.first, old.count == 1, new[depth]?.count == 1 else {
          continue
        }
        renamed[ActiveState(machine: machine.name, state: old[0])] = ActiveState(
          machine: machine.name, state: state)
      }
    }
    return renamed
  }

  private func depth(of path: String) -> Int { path.utf8.count { $0 == UInt8(ascii: ".") } }

  /// Stops the timers of states that a migration has left, as a machine does when it leaves a state.
  func stopWhatLastedElsewhere() {
    let machines = Set(loadedMachines.map(\.name))
    let active = machines.reduce(into: Set<ActiveState>()) { active, name in
      for path in activePaths(of: name) {
        active.insert(ActiveState(machine: name, state: path == name ? "" : path))
      }
    }
    for timer in caseState.timers.pending {
      switch timer.owner {
      case .state(let state), .stateEffect(let state):
        guard state.keys.isEmpty, machines.contains(state.machine), !active.contains(state) else {
          continue
        }
        stopTimers(ownedBy: timer.owner)
        caseState.queue.remove(ownedBy: timer.owner)
      case .postponed(let state):
        guard state.keys.isEmpty, machines.contains(state.machine), !active.contains(state) else {
          continue
        }
        release(postponedIn: state)
      case .instance, .effect, .nobody: continue
      }
    }
  }

  /// Returns the paths of the states in which a machine is by its fields in the tree, with the states around them.
  private func saidPaths(of name: String) -> Set<String> {
    var paths: Set<String> = [name]
    guard let machine = loadedMachines.first(where: { $0.name == name }) else { return paths }
    for (number, region) in machine.chart.chart.regions.enumerated() {
      guard let field = region.field, let said = text(of: field),
        let state = machine.state(said, in: number)
      else { continue }
      var path = machine.path(of: state)[...]
      paths.insert(String(path))
      while let dot = path.lastIndex(of: ".") {
        path = path[..<dot]
        paths.insert(String(path))
      }
    }
    return paths
  }
}

extension LoadedMachine {
  /// The paths of all its states.
  fileprivate var paths: Set<String> {
    Set(chart.nodes.indices.map { path(of: ChartInterpreter.StateNumber($0)) })
  }
}
