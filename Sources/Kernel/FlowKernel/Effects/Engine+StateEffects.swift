import FlowLanguage
import LuaRuntime
import StateCharts

/// Effects of states: each begins when its state is entered, and is stopped when the state is left.
///
/// The effects under way belong to the revision (`CaseState.stateEffectTriggers`): going back to a revision at which an
/// effect was under way begins it again.
extension Engine {
  package func effect(of state: ActiveState) -> Effect? {
    guard let (machine, number) = find(state) else { return nil }
    return flow.machines[machine.index].effects[number]
  }

  // MARK: Beginning

  /// Begins the effects of the states that microsteps have entered and not left again, outermost first.
  ///
  /// The effects of the states of new records begin too. Each runs up to its first wait.
  func startEffects(
    of moves: [Microstep], _ commit: Commit, _ cause: Cause
  ) {
    let root = scopes.current[0] ?? 1
    for (state, effect) in beginning(after: moves) {
      if !caseState.upcomingEffects.isEmpty { caseState.upcomingEffects.removeFirst() }
      caseState.begin(
        state, QueuedAction(name: commit.action, payload: commit.payload, cause: cause))
      start(effect, in: root, commit, cause, during: state)
    }
  }

  /// Queues the effects of states that were entered without an action.
  func queueEffects(of moves: [Microstep]) {
    guard settings.startsEffectsAndTimers else { return }
    for (state, _) in beginning(after: moves) where caseState.stateEffectTriggers[state] == nil {
      caseState.begin(state, QueuedAction(name: "", payload: [:], cause: Cause(revision: revision)))
      caseState.queue.add(.begin(state), owner: .nobody, from: state)
    }
  }

  /// Returns the effects that begin after the microsteps, each once.
  func beginning(
    after moves: [Microstep]
  ) -> [(state: ActiveState, effect: Effect)] {
    var known: Set<ActiveState> = []
    var all: [(state: ActiveState, effect: Effect)] = []
    func add(_ states: [ChartInterpreter.StateNumber], _ machine: LoadedMachine, _ keys: [Value]) {
      for state in states {
        let active = machine.active(state, keys: keys)
        if let effect = flow.machines[machine.index].effects[state], known.insert(active).inserted {
          all.append((active, effect))
        }
      }
    }
    for move in moves {
      let states = move.begun
      guard !states.isEmpty, let keys = keys(of: move) else { continue }
      guard let leafNumbers = leafNumbers(after: move) else { continue }
      add(states.filter { move.machine.chart.isActive($0, in: leafNumbers) }, move.machine, keys)
    }
    for note in scratch.recordNotes.all {
      do throws(ScriptError) {
        if let coming = try find(coming: note) { add(coming.states, coming.machine, coming.keys) }
      } catch {
        report(.effect(title: "the effect of a new record", error))
      }
    }
    return all
  }

  /// Returns the leaves in which the machine of a microstep is now.
  private func leafNumbers(after move: Microstep) -> [ChartInterpreter.LeafNumber]? {
    if move.machine.records == nil { return Array(derived.configuration[move.machine.regions]) }
    return try? leafNumbers(of: move.record, in: move.machine)
  }

  /// Begins a queued effect of a state.
  package func begin(_ state: ActiveState) {
    guard let began = caseState.stateEffectTriggers[state], let effect = effect(of: state),
      effects.number(of: state) == nil
    else { return }
    vm.beginWork(.effect, budget: budget)
    defer { vm.endWork() }
    let commit = commit(of: began)
    do throws(ScriptError) {
      try vm.setPayload(began.payload, shape: payloadShape(of: began.name))
    } catch {
      caseState.end(state)
      return ended(effect, of: commit, began.cause, error, during: state)
    }
    start(effect, in: scopes.current[0] ?? 1, commit, began.cause, during: state)
  }

  /// Returns the commit with which an effect began; if the history no longer has it, a new one without a patch.
  func commit(of began: QueuedAction) -> Commit {
    if let kept = history[began.cause.revision], kept.action == began.name { return kept }
    return newCommit(of: began)
  }

  /// Returns a commit without a patch, of the action with which an effect began.
  func newCommit(of began: QueuedAction) -> Commit {
    var writer = ValueWriter()
    if began.payload != [:] { writer.write(began.payload) }
    return writer.bytes.withUnsafeBytes {
      Commit(
        revision: began.cause.revision, action: began.name, cause: nil, microseconds: time,
        hostBegan: caseState.clock.epoch, writes: UnsafeRawBufferPointer(start: nil, count: 0),
        payload: $0,
        secrets: flow.secrets)
    }
  }

  // MARK: Ending

  /// Removes the record of an effect that has ended.
  func noteEnd(of running: RunningEffects.Running) {
    guard running.branch == nil else { return }
    if let record = caseState.effects.removeValue(forKey: running.number) {
      running.attempts = record.attempts
    }
    deliver(.effectEnded(running.number), to: .effects)
    guard let state = running.state else { return }
    caseState.end(state, since: running.cause.revision)
  }

  /// Stops the effects of the states that a microstep has left, with their timers.
  ///
  /// Actions that they have queued become stale, except for one that has itself left the state.
  func stopEffects(of move: Microstep) {
    guard !move.machine.stateEffectTriggers.isEmpty, let keys = keys(of: move) else { return }
    for state in move.left where move.machine.chart.nodes[Int(state)].hasEffect {
      stopEffect(of: move.machine.active(state, keys: keys), because: "was left")
    }
  }

  func stopEffect(of state: ActiveState, because reason: String) {
    if let number = effects.number(of: state) {
      drop(number, because: "\(state.title) \(reason) (#\(revision))")
    }
    caseState.end(state)
    stopTimers(ownedBy: .stateEffect(state))
    caseState.queue.remove(ownedBy: .stateEffect(state))
    caseState.queue.left(state, at: revision, byItself: scratch.source == state)
  }

  /// Refuses a queued action of a state's effect because the state has been left since.
  func refuse(_ queued: QueuedAction, from state: ActiveState, leftAt revision: Int) {
    let machine = configuration.machinesByName[state.machine].map { flow.machines[$0.index] }
    scratch.payloadFromQueue = queued.payload
    report(
      .queuedRefused(
        Refusal(
          action: queued.name, rejectedBy: .machine(state.machine),
          reason:
            "stale: \(queued.name) comes from \(state.keys.isEmpty ? state.state : state.title), "
            + "which was left (#\(revision))",
          place: machine?.place ?? SourcePlace(file: flow.file, line: 0)), spent: nil))
  }

  // MARK: Undo, redo and reload

  /// Restarts the effects of states that are under way at the revision but do not run.
  ///
  /// An effect without `on_error` begins again; another ends as `on_error` says.
  func goOnWithEffectsOfStates(because why: String) {
    guard settings.startsEffectsAndTimers else { return }
    var beginning = Set(caseState.queue.beginning)
    // Effects that an earlier process began are resumed separately.
    for stored in Array(caseState.effects.values) + caseState.upcomingEffects {
      if let state = effects.renamed[stored.state] { beginning.insert(state) }
    }
    for (state, began) in caseState.stateEffectTriggers.sorted(by: { $0.key.title < $1.key.title })
    where effects.number(of: state) == nil && !beginning.contains(state) {
      stopTimers(ownedBy: .stateEffect(state))
      guard let effect = effect(of: state) else {
        caseState.end(state)
        report(
          .stopped(
            title: "effect of \(state.title)", revision: began.cause.revision,
            "the reloaded flow has no such effect"))
        continue
      }
      if effect.onError == nil {
        caseState.queue.add(.begin(state), owner: .nobody, from: state)
        continue
      }
      caseState.end(state)
      ended(
        effect, of: commit(of: began), began.cause,
        ScriptError(.runtime, "it was stopped by \(why)", at: effect.function.place),
        during: state)
    }
  }
}
