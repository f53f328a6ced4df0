import FlowLanguage
import LuaRuntime
import StateCharts

/// Steps 6 and 7 of a dispatch: the transaction, all or nothing, and the commit.
extension Engine {
  /// The passages that a commit took.
  package typealias Taken = [(option: GatekeeperOption, number: Int)]

  func applyTransitions(_ action: LoadedAction, _ plan: EnabledTransitions, cause: Cause?)
    throws(Rejection) -> Commit
  {
    if let instrumentation { instrumentation.recordAdmission(plan) }
    var taken: Taken?
    var moves: [Microstep] = []
    let result = try transaction(for: action.name, at: action.reducer?.place) {
      if plan.touchesGatekeepers { taken = try handOver(plan, action) }
      moves = try reduce(action, plan)
    } eventless: {
      if dialect.runsContentByBlock { return }
      if configuration.hasHistory { for move in moves { remember(move) } }
      if eventless == nil { return }
      let isTouched = vm.takeTouchedConditions()
      if mayGoOn(plan, moves, isTouched: isTouched) {
        try takeEventlessMicrosteps(of: action.name, after: plan, &moves, isTouched: isTouched)
      }
    } delays: { () throws(ScriptError) in
      plan.moves || !moves.isEmpty || !scratch.recordNotes.isEmpty
        ? try workOutDelays(after: plan, moves) : nil
    }
    return finishDispatch(action, plan, moves, cause, result, taken)
  }

  // MARK: 6. The transition

  /// Resets and takes options of gatekeepers, and returns the passages that were taken.
  private func handOver(_ plan: EnabledTransitions, _ action: LoadedAction) throws(ScriptError)
    -> Taken
  {
    for option in plan.resets { caseState.free(option) }
    var taken: Taken = []
    for option in plan.takes {
      if let number = caseState.take(option, action: action.name, revision: revision + 1) {
        taken.append((option, number))
      }
    }
    let entries = action.gatekeeperEntries
    // With few entries a linear search is faster than making a set.
    let touched = entries.count > 8 ? plan.touchedGatekeepers : nil
    for entry in entries where touched?.contains(entry.name) ?? plan.touches(entry.name) {
      try vm.touch(entry.title)
    }
    return taken
  }

  /// Takes the microsteps of machines, and runs the reducer.
  ///
  /// Returns the microsteps; empty if there is only one and it is prepared.
  @inline(__always)
  private func reduce(_ action: LoadedAction, _ plan: EnabledTransitions) throws -> [Microstep] {
    if let hostRules, let moves = try reduce(hostRules, action, plan) { return moves }
    let reducer = action.reducerReference
    if dialect.runsContentByBlock { return try takeMacrostep(plan, of: action.name) }
    if let transition = plan.onlyMicrostep {
      try vm.take(transition._withUnsafeGuaranteedRef { $0.steps }, budget: budget)
    } else if plan.moves {
      let moves = try microsteps(plan.selections)
      try vm.take(TransactionSteps(moves, reducer: reducer), budget: budget)
      return moves
    } else if let reducer {
      try vm.callReducer(reducer, budget: budget)
    }
    return []
  }

  /// Returns the microsteps of selections.
  func microsteps(
    _ selections: [EnabledTransitions.TransitionSelection]
  ) throws(ScriptError) -> [Microstep] {
    var all: [Microstep] = []
    all.reserveCapacity(selections.count)
    for selection in selections {
      switch selection {
      case .prepared(let transition): all.append(transition.takeUnretainedValue().move)
      case .selected(let subject, let transitions):
        all.append(try microstep(of: subject, by: transitions))
      }
    }
    return all
  }

  /// Computes the delays of the states that are entered; returns nil if there are none.
  private func workOutDelays(
    after plan: EnabledTransitions, _ moves: [Microstep]
  ) throws(ScriptError) -> Delays? {
    var moves = moves
    if let transition = plan.onlyMicrostep, moves.isEmpty {
      if transition._withUnsafeGuaranteedRef({ $0.stopsOrStarts }) {
        moves = [transition.takeUnretainedValue().move]
      } else if scratch.recordNotes.isEmpty {
        return nil
      }
    }
    return try workOutDelays(entering: moves)
  }

  // MARK: 7. The commit

  private func finishDispatch(
    _ action: LoadedAction, _ plan: EnabledTransitions, _ moves: [Microstep], _ cause: Cause?,
    _ result: TransactionResult, _ taken: Taken?
  ) -> Commit {
    caseState.set(revision: revision + 1, time: time)
    let commit = record(action, cause, result.patch)
    var begins =
      configuration.recordsHaveEffects && scratch.recordNotes.all.contains(where: \.hasCome)
    // Timers and effects are identified by the keys that records have now.
    if !scratch.recordNotes.isEmpty { standRecords() }
    if let transition = plan.onlyMicrostep, moves.isEmpty {
      transition._withUnsafeGuaranteedRef {
        apply($0.move, stops: $0.stopsOrStarts)
        if $0.begins { begins = true }
      }
    } else {
      for move in moves { apply(move, stops: false) }
      for move in moves {
        stop(whatLastedIn: move)
        if !move.begun.isEmpty { begins = true }
      }
    }
    let hasEffects = begins || !action.effects.isEmpty
    if let instrumentation, hasEffects { instrumentation.recordRead(of: .effects) }
    let hasMore = result.delays != nil || hasEffects
    let follow = followUp(action, hasMore ? Cause(of: revision, cause, taken) : nil, cause)
    if settings.startsEffectsAndTimers, let follow, let delays = result.delays {
      start(delays, follow.cause)
    }
    remember(commit)
    if !observers.interests.isDisjoint(with: .perCommit) {
      deliver(commit) { steps(of: plan, moves) }
    }
    if settings.startsEffectsAndTimers, let follow, hasEffects {
      let moves =
        begins
        ? plan.onlyMicrostep.flatMap { moves.isEmpty ? [$0.takeUnretainedValue().move] : nil }
          ?? moves
        : []
      if observers.recorder != nil { noteUpNext(action, moves, commit, follow) }
      startEffects(of: action, commit, follow.cause, follow.instance)
      if begins { startEffects(of: moves, commit, follow.cause) }
      history.amend(caseState.takeChanges(), at: revision)
    }
    if dialect.runsContentByBlock {
      sendMessages(Cause(of: revision, cause, taken))
      history.amend(caseState.takeChanges(), at: revision)
    }
    return commit
  }

  private func steps(of plan: EnabledTransitions, _ moves: [Microstep]) -> [MicrostepRecord] {
    let only = plan.onlyMicrostep.map { [$0.takeUnretainedValue().move] } ?? []
    return steps(of: moves.isEmpty ? only : moves)
  }

  /// Returns the records of microsteps; the keys of a record that is gone are empty.
  func steps(of moves: some Sequence<Microstep>) -> [MicrostepRecord] {
    moves.map { MicrostepRecord($0, of: keys(of: $0) ?? []) }
  }

  /// Updates the configuration after a microstep, and stops the timers and effects of the states that it left.
  ///
  /// - Parameter stops: false if the caller stops them later, or if there are none.
  @inline(__always)
  func apply(_ move: Microstep, stops: Bool) {
    move.apply(to: &derived.configuration)
    if let instrumentation { instrumentation.recordVisit(move) }
    if stops { stop(whatLastedIn: move) }
  }

  @inline(__always)
  private func stop(whatLastedIn move: Microstep) {
    if let instrumentation {
      recordStopOfTimers(of: move)
      instrumentation.recordRead(of: .effects)
    }
    if caseState.timers.isEmpty, caseState.queue.isEmpty, caseState.stateEffectTriggers.isEmpty,
      caseState.refusedTimers.isEmpty
    {
      return
    }
    stopTimers(of: move)
    stopEffects(of: move)
  }

  /// Creates the commit, with the current payload.
  private func record(
    _ action: LoadedAction, _ cause: Cause?, _ writes: UnsafeRawBufferPointer
  ) -> Commit {
    func commit(_ payload: UnsafeRawBufferPointer) -> Commit {
      Commit(
        revision: revision, action: action.name, cause: cause?.revision, microseconds: time,
        hostBegan: caseState.clock.epoch, writes: writes, payload: payload, secrets: flow.secrets,
        by: scratch.dispatchedBy, isPostponed: action.isPostponed)
    }
    if let secretTexts {
      noteSecrets(in: Patch(bytes: CompactBytes(writes)), secretTexts)
    }
    if action.takesNothing { return commit(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return scratch.payload.writer.bytes.withUnsafeBytes { commit($0) }
  }

  /// Opens and closes scopes according to the new state.
  ///
  /// Returns the cause for the timers and effects of this commit, if it has any, and the scope instance in which the
  /// action passed.
  private func followUp(
    _ action: LoadedAction, _ own: Cause?, _ cause: Cause?
  ) -> (cause: Cause, instance: Int?)? {
    let hasScopes = flow.scopes.count > 1
    if !hasScopes, own == nil { return nil }
    let instance = action.scope.flatMap { scopeInstance(of: $0, for: cause) }
    let before = scopes.current
    if hasScopes { refreshScopes(since: "\(action.name), #\(revision)") }
    guard var own else { return nil }
    if hasScopes {
      own.scopeInstances = scopes.scopeInstances(of: cause, at: instance, since: before)
    }
    return (own, instance)
  }

  /// Forgets which views have changed so far, because a new subscription begins with the current values.
  package func forgetTouchedViews() { while vm.takeTouchedReader() != nil {} }

  /// Computes the watched views that changed, for their subscribers.
  package func notify() {
    while let reader = vm.takeTouchedReader() { observers.subscriptions.touch(reader) }
    // Watching views has a budget of its own, so that a dispatch is the same with and without subscribers.
    vm.beginWorkApart(.view, budget: budget)
    defer { vm.endWork() }
    observers.subscriptions.collect { watchedValue(of: $0, others: $1) }
  }
}
