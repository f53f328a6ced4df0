import LuaRuntime

/// Steps 6 and 7 of a dispatch: one transition, all or nothing, and then it stands.
extension Engine {
  /// What the timers of the states that were entered are to do.
  typealias Delays = [(machine: Int, action: String, seconds: Double)]
  /// The passages that a transition took.
  typealias Taken = [(option: KeeperOption, number: Int)]

  func transit(_ action: LoadedAction, _ plan: Plan, cause: Cause?) throws(Stop) -> Transition {
    let randomBefore = random
    let keepersBefore = plan.touchesKeepers ? keepers : nil
    vm.begin()
    do {
      let taken = plan.touchesKeepers ? try handOver(plan, action) : nil
      try reduce(action, plan)
      try vm.adopt()
      let delays = plan.moves ? try workOutDelays(after: plan) : nil
      if !flow.invariants.isEmpty, let failure = brokenInvariant(action: action.name) {
        throw Stop.failed(failure)
      }
      if flow.scopes.count > 1 { try workOutKeys() }
      return try commit(action, plan, cause, try vm.commit(), taken, delays)
    } catch {
      vm.rollback()
      random = randomBefore
      if let keepersBefore { keepers = keepersBefore }
      if let stop = error as? Stop { throw stop }
      var script = error as? ScriptError ?? ScriptError(kind: .runtime, message: "\(error)")
      if script.chunk == nil, let place = action.reducer?.place {
        script.chunk = place.file
        script.line = place.line
      }
      throw .failed(scriptFailure(script, action: action.name))
    }
  }

  // MARK: 6. The transition

  /// Gatekeepers reset and take.
  ///
  /// Gives the passages that were taken.
  private func handOver(_ plan: Plan, _ action: LoadedAction) throws(ScriptError) -> Taken {
    for option in plan.resets { keepers.free(option) }
    var taken: Taken = []
    for option in plan.takes {
      let number = keepers.take(option, action: action.name, revision: revision + 1, time: time)
      taken.append((option, number))
    }
    for way in action.keeperWays where plan.touches(keeper: way.keeper) { try vm.touch(way.title) }
    return taken
  }

  private func reduce(_ action: LoadedAction, _ plan: Plan) throws(ScriptError) {
    if let natives, try reduce(natives, action, plan) { return }
    let reducer = action.reducerReference
    if try plan.take(in: vm, reducer: reducer, machines: loadedMachines, budget: budget) { return }
    if let reducer { try vm.callReducer(reducer, budget: budget) }
  }

  /// The delays of the states that are entered; nil where there are none.
  private func workOutDelays(after plan: Plan) throws(ScriptError) -> Delays? {
    var delays: Delays?
    try plan.forEachMove { (move) throws(ScriptError) in
      guard move.leaves, loadedMachines[move.machine].states[move.to].hasTimers else { return }
      delays =
        try (delays ?? [])
        + workOutDelays(entering: CollectionOfOne((machine: move.machine, state: move.to)))
    }
    return delays
  }

  /// A delay that is a function of `s` is worked out when the transition ends.
  func workOutDelays(
    entering entered: some Sequence<(machine: Int, state: Int)>
  ) throws(ScriptError) -> Delays {
    var delays: Delays = []
    for (machine, state) in entered {
      for delay in flow.machines[machine].states[state].timers {
        delays.append((machine, delay.action, try seconds(of: delay, machine)))
      }
    }
    return delays
  }

  private func seconds(of delay: Machine.Delay, _ machine: Int) throws(ScriptError) -> Double {
    switch delay.time {
    case .seconds(let seconds): return seconds
    case .workedOut(let function):
      let value = try vm.callOnState(function.reference, budget: budget).first ?? .nil
      guard let seconds = value.doubleValue, seconds >= 0, seconds.isFinite else {
        throw ScriptError(
          kind: .runtime,
          message:
            "\(flow.machines[machine].title): after.\(delay.action) takes seconds from 0 on, "
            + "not \(value.text(limit: 60))",
          chunk: function.place.file, line: function.place.line)
      }
      return seconds
    }
  }

  // MARK: 7. It stands

  private func commit(
    _ action: LoadedAction, _ plan: Plan, _ cause: Cause?, _ patch: UnsafeRawBufferPointer,
    _ taken: Taken?, _ delays: Delays?
  ) throws -> Transition {
    revision += 1
    let transition = Transition(
      revision: revision, action: action.name, cause: cause?.revision, microseconds: time,
      patch: patch)
    try plan.forEachMove { move in
      machines[move.machine] = move.to
      if move.leaves { stopTimers(machine: move.machine) }
    }
    let hasMore = delays != nil || !action.effects.isEmpty
    let follow = try followUp(action, hasMore ? Cause(of: revision, cause, taken) : nil, cause)
    if startsEffectsAndTimers, let follow, let delays { start(delays, follow.cause) }
    remember(transition)
    if !subscriptions.isEmpty {
      subscriptions.note(transition)
      notify()
    }
    observe?(transition)
    if startsEffectsAndTimers, let follow, !action.effects.isEmpty {
      startEffects(of: action, transition, follow.cause, follow.instance)
      if let moment = newMoment() { history.amend(moment, at: revision) }
    }
    return transition
  }

  /// Opens and closes scopes as the state now says, and gives what timers and effects of this
  /// transition, if it has any, have as their cause, and the opening in which the action passed.
  private func followUp(
    _ action: LoadedAction, _ own: Cause?, _ cause: Cause?
  ) throws(ScriptError) -> (cause: Cause, instance: Int?)? {
    let hasScopes = flow.scopes.count > 1
    let instance = action.scope.flatMap { scopes.current[$0] }
    let before = scopes.current
    if hasScopes { try refreshScopes(since: "\(action.name), #\(revision)") }
    guard var own else { return nil }
    if hasScopes { own.openings = scopes.openings(of: cause, at: instance, since: before) }
    return (own, instance)
  }

  /// Has nobody told of what has happened so far: who subscribes now begins with what there is.
  func forgetTouchedViews() { while vm.takeTouchedReader() != nil {} }

  /// Tells the subscribers of views that changed.
  func notify() {
    while let reader = vm.takeTouchedReader() { subscriptions.touch(reader) }
    subscriptions.collect { result(of: $0) }
  }

  // MARK: Timers of states

  func start(_ delays: Delays, _ cause: Cause) {
    for delay in delays {
      add(
        QueuedAction(name: delay.action, payload: [:], cause: cause), in: delay.seconds,
        owner: .state(machine: delay.machine, entry: entries[delay.machine]))
    }
  }

  func stopTimers(machine: Int) {
    defer { entries[machine] += 1 }
    if timers.nextDue == nil && queue.isEmpty { return }
    timers.remove(ownedBy: .state(machine: machine, entry: entries[machine]))
    queue.remove(ownedBy: .state(machine: machine, entry: entries[machine]))
  }

  // MARK: Invariants

  func brokenInvariant(action: String) -> DispatchFailure? {
    var numbers = flow.invariantNumbers
    while let number = vm.firstStaleReader(in: numbers) {
      let function = flow.invariants[Int(number - flow.invariantNumbers.lowerBound)].function
      numbers = number + 1..<numbers.upperBound
      let title = Names.dotted("invariant", function.name)
      let broken: String
      switch vm.checkInvariant(number, budget: budget) {
      case .passed: continue
      case .refused(let reason):
        broken = "\(title) does not hold" + (reason.map { ": \($0)" } ?? "")
      case .nothing: broken = "\(title) returned nothing; end it with \"return\" and a condition"
      case .raised(let error): return scriptFailure(error, action: action)
      }
      return DispatchFailure(
        kind: .invariant, action: action, message: broken,
        script: ScriptError(
          kind: .runtime, message: broken, chunk: function.place.file, line: function.place.line),
        patch: (try? vm.patch()).map(Patch.init(bytes:)))
    }
    return nil
  }
}
