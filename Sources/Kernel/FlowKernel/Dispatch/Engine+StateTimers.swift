import FlowLanguage
import LuaRuntime
import StateCharts

/// Timers of states: each dispatches an action to the leaves of the state, or takes a transition of its own.
///
/// It fires once, or repeatedly, while the state is active.
extension Engine {
  // MARK: Setting

  /// Returns the delay of a timer of a state that is being entered.
  ///
  /// A computed delay is computed on the next state. Throws if its function fails or returns no valid number of
  /// seconds.
  func delay(
    of timer: Chart.Timer, _ number: Int, of state: ChartInterpreter.StateNumber,
    in machine: LoadedMachine,
    keys: [Value] = []
  ) throws(ScriptError) -> StateDelay {
    let path = machine.chart.chart.states[Int(state)].path
    let seconds: Double?
    switch timer.delay {
    case .seconds(let said): seconds = said == .infinity ? nil : said
    case .workedOut(let function):
      let title: String =
        if case .action(let action) = timer.due { "\(timer.word).\(action)" } else {
          "\(timer.word) in \(path)"
        }
      seconds = try workOut(
        machine.functions[Int(function)], "machine \(machine.name): \(title)",
        repeats: timer.repeats)
    }
    let active = machine.active(state, keys: keys)
    // A repeating timer never fires twice at the same time.
    let microseconds = seconds.map {
      max(EngineTime.microseconds($0), timer.repeats ? 1 : 0)
    }
    if case .action(let action) = timer.due {
      return StateDelay(
        owner: .state(active), name: action, transition: nil, microseconds: microseconds,
        repeats: timer.repeats, payload: machine.records?.payload(keys) ?? [:])
    }
    return StateDelay(
      owner: .state(active), name: timer.title(seconds ?? .infinity, in: active.title),
      transition: machine.timedTransition(number, of: state), microseconds: microseconds,
      repeats: timer.repeats)
  }

  /// Returns the seconds that a function computes; nil for nil and for `math.huge`.
  private func workOut(
    _ function: FlowFunction, _ title: String, repeats: Bool
  ) throws(ScriptError) -> Double? {
    let value = try workOut(function)
    if value == .nil || value == .number(.infinity) { return nil }
    guard let seconds = value.seconds else {
      throw ScriptError(
        .runtime, "\(title) takes \(value.whatSecondsAre), not \(value.text(limit: 60))",
        at: function.place)
    }
    guard seconds > 0 || !repeats else {
      throw ScriptError(
        .runtime, "\(title) takes more than 0 seconds, not \(value.text(limit: 60))",
        at: function.place)
    }
    return seconds
  }

  /// Throws if the memory limit leaves no space for the timers of states.
  func requireReserve(forTimers count: Int) throws(ScriptError) {
    let sizePerTimer = 500
    guard reserve(for: count * sizePerTimer) else {
      throw ScriptError(kind: .limit, message: excess("a timer of a state"))
    }
  }

  func start(_ delays: Delays, _ cause: Cause) {
    for delay in delays {
      if delay.isRestart { stopTimer(of: delay) }
      guard let microseconds = delay.microseconds else { continue }
      let queued = QueuedAction(
        name: delay.name, payload: delay.payload, cause: cause, transition: delay.transition)
      if microseconds == 0 {
        caseState.queue.add(.action(queued), owner: delay.owner)
      } else {
        if let instrumentation { instrumentation.recordStart(of: delay) }
        caseState.set(
          queued, due: EngineTime.later(time, by: microseconds), owner: delay.owner,
          every: delay.repeats ? microseconds : nil)
      }
    }
  }

  /// Stops the timers of the states that a microstep has left, and releases the actions that these have postponed.
  func stopTimers(of move: Microstep) {
    guard move.machine.lasts, let keys = keys(of: move) else { return }
    for state in move.left where move.machine.chart.nodes[Int(state)].hasTimers {
      let active = move.machine.active(state, keys: keys)
      release(postponedIn: active)
      stopTimers(of: active)
    }
  }

  /// Stops the timer that a delay replaces.
  private func stopTimer(of delay: StateDelay) {
    guard case .state(let state) = delay.owner else { return }
    instrumentation?.recordStop(ownedBy: delay.owner)
    caseState.cancelTimers(ownedBy: delay.owner) {
      guard let action = $0.action, $0.every == nil || delay.repeats,
        action.transition == delay.transition
      else { return false }
      return delay.transition != nil || action.name == delay.name
    }
    let spent = caseState.refusedTimers[state] ?? []
    let rest = spent.filter { !$0.hasPrefix("\(delay.name) is not tried again: ") }
    if rest.count < spent.count { caseState.set(refusedTimers: rest, of: state) }
  }

  func stopTimers(of state: ActiveState) {
    stopTimers(ownedBy: .state(state))
    caseState.queue.remove(ownedBy: .state(state))
    if !caseState.refusedTimers.isEmpty { caseState.set(refusedTimers: [], of: state) }
  }

  /// Sets a repeating timer for the next time, counted from the time at which it was due.
  ///
  /// If the clock leaps so far that more timers fire than may run at once, the missed times of this one are skipped.
  func setAgain(_ timer: PendingTimer, in every: Int, until end: Int, isLate: Bool) {
    guard let action = timer.action else { return }
    var due = EngineTime.later(timer.due, by: every)
    if isLate, due <= end {
      let missed = (end - due) / every + 1
      due = EngineTime.later(due, by: missed * every)
      report(
        .dropped(
          "\(action.name), due \(missed) more times,",
          "one advance of the clock runs repeating timers at most \(limits.chain) times (the limit chain)"
        ))
    }
    // After the end of time, there is no next time.
    guard due > timer.due else { return }
    caseState.set(action, due: due, owner: timer.owner, every: every)
  }

  // MARK: Running

  /// Runs an action that a timer of a state has queued.
  func run(_ queued: QueuedAction, of active: ActiveState, repeats: Bool) {
    guard let (machine, state) = find(active) else {
      return tell(
        dispatch(queued.name, queued.payload, cause: queued.cause), of: queued, spent: nil)
    }
    let outcome = outcome(of: queued, active, machine, state)
    if repeats || outcome.refusal == nil { return tell(outcome, of: queued, spent: nil) }
    let spent = "\(queued.name) is not tried again: \(active.owner) stays in \(active.state)"
    caseState.set(refusedTimers: (caseState.refusedTimers[active] ?? []) + [spent], of: active)
    tell(outcome, of: queued, spent: spent)
  }

  private func outcome(
    of queued: QueuedAction, _ active: ActiveState, _ machine: LoadedMachine,
    _ state: ChartInterpreter.StateNumber
  ) -> Outcome {
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    do throws(Rejection) {
      guard let transition = queued.transition else {
        let action = try prepare(queued.name, queued.payload, queued.cause)
          .takeUnretainedValue()
        do throws(Rejection) {
          let plan = try evaluateRules(action, queued.cause, inside: (machine.index, state))
          return .passed(try applyTransitions(action, plan, cause: queued.cause))
        } catch {
          return self.outcome(of: error, action, queued.cause)
        }
      }
      let action = LoadedAction(
        Action(
          name: queued.name, place: flow.machines[machine.index].place, payload: .record([])),
        in: flow, loadedMachines, payloadShape: PayloadShapes.none)
      try takeNothing(for: action.name, action.payloadShape)
      var plan = EnabledTransitions()
      try choose(timedTransition: transition, of: state, in: machine, active, action, &plan)
      return .passed(try applyTransitions(action, plan, cause: queued.cause))
    } catch {
      return Outcome(error)
    }
  }

  /// Returns the outcome of a timed transition that a log has under this title, if timers are turned off.
  ///
  /// The timers' effects are in the log itself then. Returns nil if no active state has such a transition.
  package func outcome(ofTimedTransition title: String) -> Outcome? {
    if settings.startsEffectsAndTimers { return nil }
    for machine in loadedMachines + recordMachines.values where !machine.stateEffectTriggers.isEmpty
    {
      let configuration = Array(derived.configuration[machine.regions])
      for state in machine.stateEffectTriggers.values.sorted()
      where machine.records != nil || machine.chart.isActive(state, in: configuration) {
        guard let active = machine.active(state, in: title) else { continue }
        for (number, timer) in machine.chart.chart.states[Int(state)].timers.enumerated()
        where timer.due == .transition && timer.isCalled(title, in: active.title) {
          let queued = QueuedAction(
            name: title, payload: [:], cause: Cause(revision: revision),
            transition: machine.timedTransition(number, of: state))
          return outcome(of: queued, active, machine, state)
        }
      }
    }
    return nil
  }

  /// Selects the transition of a state's own timer: the first whose guard agrees.
  private func choose(
    timedTransition transition: Int, of state: ChartInterpreter.StateNumber,
    in machine: LoadedMachine,
    _ active: ActiveState, _ action: LoadedAction, _ plan: inout EnabledTransitions
  ) throws(Rejection) {
    guard let timer = machine.timer(ofTimedTransition: transition, of: state) else {
      throw .refused(impossible(action, in: machine))
    }
    let trigger = ChartTrigger.timer(timer, of: state)
    if machine.records != nil {
      return try askRecord(active.keys, of: machine, by: trigger, action, &plan)
    }
    let subject = subject(machine)
    plan.add(.selected(subject, try enabledTransitions(by: trigger, action, of: subject)))
  }

  // MARK: Another version of the flow

  /// Returns the state in this version of the flow; nil if it does not exist, or if it has neither timers nor effects.
  package func find(_ active: ActiveState) -> (
    machine: LoadedMachine, state: ChartInterpreter.StateNumber
  )? {
    guard let machine = configuration.machinesByName[active.machine],
      let state = machine.stateEffectTriggers[active.state]
    else { return nil }
    return (machine, state)
  }

  /// Returns true if this version of the flow still has what a timer refers to.
  ///
  /// This is its action, or its timed transition, and for a repeating timer the state's timer.
  package func isThere(_ timer: PendingTimer) -> Bool {
    guard let action = timer.action else { return true }
    if action.transition == nil, !isKnown(action) { return false }
    guard action.transition != nil || timer.every != nil else { return true }
    guard case .state(let active) = timer.owner, let (machine, state) = find(active) else {
      return false
    }
    let timers = machine.chart.chart.states[Int(state)].timers
    guard let transition = action.transition else {
      return timers.contains { $0.repeats && $0.due == .action(action.name) }
    }
    let timed = machine.timer(ofTimedTransition: transition, of: state)
    return timed.map { timers[$0].repeats == (timer.every != nil) } ?? false
  }
}

extension LoadedMachine {
  /// Returns the state if the title of a timed transition names it, with the keys in the title for a machine of
  /// records.
  fileprivate func active(_ state: ChartInterpreter.StateNumber, in title: String) -> ActiveState? {
    guard let records else { return active(state) }
    let (before, behind) = (" in \(name)", "]" + active(state).title.dropFirst(name.count))
    guard title.hasSuffix(behind), let start = title.firstRange(of: before)?.upperBound else {
      return nil
    }
    let keys = title[start...].dropLast(behind.count - 1)
    guard let path = StatePath(parsing: String(keys)), path.keys.count == records.levels else {
      return nil
    }
    return active(state, keys: path.keys.map(\.value))
  }
}
