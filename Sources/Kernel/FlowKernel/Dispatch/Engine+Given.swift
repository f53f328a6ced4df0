import FlowLanguage
import LuaRuntime
import StateCharts

/// The given state of a scenario, before anything has happened: data, machines, gatekeepers.
extension Engine {
  /// Merges a part into the state without an action; machines may change state too, and their timers start.
  ///
  /// Returns nil, or a failure, in which case nothing has changed.
  package func merge(_ part: Value) -> DispatchFailure? {
    noteSecrets(given: part)
    var moves: [Microstep] = []
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    do throws(Rejection) {
      let result = try transaction(for: "given") {
        moves = try machinesMoved(by: part)
        let steps = TransactionSteps.leaving(moves.map(\.withoutLeaving), reducer: nil)
        if !steps.isEmpty { try vm.take(TransactionSteps(steps), budget: budget) }
        try vm.callWriter(
          FlowPreludes.function("merge_state", in: vm), [part.without(fields(of: moves))],
          budget: budget)
      } eventless: {
        try takeEventlessMicrosteps(of: "given", from: derived.configuration, &moves)
      } delays: { () throws(ScriptError) in
        try workOutDelays(entering: moves)
      }
      finishGiving(moves, result)
      return nil
    } catch {
      return error.failure
    }
  }

  /// Sets a part of the initial situation.
  ///
  /// Returns nil, or an error message, in which case nothing has changed.
  package func give(_ given: Transcript.Given) -> String? {
    switch given {
    case .state(let part): return merge(part).map { "given: \($0.message)" }
    case .gatekeeper(let name, let options): return give(options, toKeeper: name)
    case .random(let draws):
      give(draws: draws)
      return nil
    case .born(let time):
      guard let birth = WallTime.microseconds(time) else {
        return
          "given.born needs a time such as \"2026-11-27T10:00:00Z\", not \(Value.quoted(time, limit: 60))"
      }
      return give(birth: birth).map { "given.born: \($0)" }
    }
  }

  func finishGiving(_ moves: [Microstep], _ result: TransactionResult) {
    standRecords()
    for move in moves { apply(move, stops: true) }
    if observers.recordsMicrosteps {
      scratch.latestSteps = steps(of: moves.filter { !$0.transitions.isEmpty })
    }
    if let delays = result.delays { start(delays, Cause(revision: revision)) }
    queueEffects(of: moves)
    refreshScopes(since: "given")
    caseState.forgetChanges()
    observers.recorder?.needsImage = true
  }

  private func fields(of moves: [Microstep]) -> Set<String> {
    Set(moves.flatMap { $0.machine.chart.chart.regions.compactMap(\.field) })
  }

  /// Returns the microsteps of the machines whose states the part names; states that it leaves open are entered by
  /// default.
  private func machinesMoved(by part: Value) throws(ScriptError) -> [Microstep] {
    var moves: [Microstep] = []
    for machine in loadedMachines {
      var states: [ChartInterpreter.StateNumber] = []
      for (number, region) in machine.chart.chart.regions.enumerated() {
        guard let field = region.field, let wanted = part[field] else { continue }
        let name = wanted.stringValue
        guard let state = name.flatMap({ machine.state($0, in: number) }) else {
          throw ScriptError(
            kind: .runtime,
            message: "machine \(field) has no state \(name ?? wanted.description)"
              + Names.suggestion(
                for: name ?? "", among: flow.machines[machine.index].paths(in: number)))
        }
        states.append(state)
      }
      if states.isEmpty { continue }
      let (leafNumbers, entered) = try begin(machine, at: states)
      moves.append(
        Microstep(
          machine, from: Array(derived.configuration[machine.regions]), to: leafNumbers,
          entered: entered))
    }
    return moves
  }

  /// Returns the leaves of a machine that is in these states, and the states that it enters.
  ///
  /// Throws if the states exclude each other.
  package func begin(
    _ machine: LoadedMachine, at states: [ChartInterpreter.StateNumber]
  ) throws(ScriptError) -> (
    leafNumbers: [ChartInterpreter.LeafNumber], entered: [ChartInterpreter.StateNumber]
  ) {
    let (microstep, leafNumbers) = entry(of: machine, at: states)
    for state in states where !machine.chart.isActive(state, in: leafNumbers) {
      let said = machine.chart.chart.states[Int(state)].path
      throw ScriptError(
        kind: .runtime,
        message: "machine \(machine.name) cannot be in \(said): "
          + "another given state excludes it")
    }
    return (leafNumbers, microstep.entered)
  }

  /// Makes a gatekeeper hold exactly these options.
  ///
  /// Returns nil, or an error message, in which case nothing has changed.
  package func give(_ options: [String], toKeeper name: String) -> String? {
    guard let gatekeeper = flow.gatekeeper(named: name) else {
      return "there is no gatekeeper \(name)"
        + Names.suggestion(for: name, among: flow.gatekeepers.map(\.name))
    }
    let known = gatekeeper.isYesNo ? ["held"] : gatekeeper.options
    for option in options where !known.contains(option) {
      return "\(gatekeeper.title) has no option \"\(option)\""
        + Names.suggestion(for: option, among: known)
    }
    var moves: [Microstep] = []
    do throws(Rejection) {
      let result = try transaction(for: "given") {
        for held in caseState.passages.options(of: name) {
          caseState.free(GatekeeperOption(gatekeeper: name, option: held))
        }
        for option in options {
          _ = caseState.take(
            GatekeeperOption(
              gatekeeper: name, option: gatekeeper.isYesNo ? GatekeeperPolicy.passage : option),
            action: "given", revision: revision)
        }
        try vm.touch(gatekeeper.title)
      } eventless: {
        try takeEventlessMicrosteps(of: "given", from: derived.configuration, &moves)
      } delays: { () throws(ScriptError) in
        try workOutDelays(entering: moves)
      }
      finishGiving(moves, result)
      return nil
    } catch {
      return error.failure.message
    }
  }
}

extension Value {
  /// Returns the record without these fields.
  fileprivate func without(_ fields: Set<String>) -> Value {
    guard case .record(let all) = self, !fields.isEmpty else { return self }
    return .record(all.filter { !fields.contains($0.key) })
  }
}
