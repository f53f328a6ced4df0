import FlowLanguage
import LuaRuntime
import StateCharts

/// Replaces one version of the flow by another.
extension Engine {
  /// Adopts the state of an engine with an earlier version of the flow.
  ///
  /// Held passages, pending timers and open scopes stay so, under their numbers. Effects continue until they end in the
  /// version in which they began: they get the answers of capability calls under way, while their dispatches and reads
  /// use this version. What no longer fits (timers of removed actions, passages of removed gatekeepers) is dropped and
  /// reported. Scopes that the new keys do not hold open close, with their clean-ups.
  ///
  /// - Throws: an error if the old state does not fit this version; this engine must then be discarded, and the old one
  ///   is unchanged.
  package func adoptState(of old: Engine) throws {
    vm.beginUntimed()
    defer { vm.endUntimed() }
    let steps = try migration(from: old.flow.version)
    if steps.isEmpty { try expectMachines(of: old) }
    record(insteadOf: old)
    let own = caseState
    caseState = old.caseState
    let names = ActionNames(steps)
    caseState.rename(actions: names)
    let result: TransactionResult
    let moves: [Microstep]
    let renamed: [ActiveState: ActiveState]
    do throws(Rejection) {
      (result, moves, renamed) = try restoreState(of: old, steps)
    } catch {
      caseState = own
      throw error.failure
    }
    caseState.queue.outsideCame()
    scopes.goOn(from: old.scopes)
    refreshScopes(since: "the reload")
    reopen(old.heldScopeInstances)
    if !steps.isEmpty { rename(renamed) }
    takeEffects(of: old, RunningEffects.NewNames(actions: names, states: renamed))
    if !steps.isEmpty { stopWhatLastedElsewhere() }
    for lost in scopes.takeRest(of: old.scopes, for: self) { close(lost, since: "the reload") }
    dropWhatIsGone()
    if let delays = result.delays { start(delays, Cause(revision: revision)) }
    queueEffects(of: moves)
    noteScopeInstances()
    caseState.forgetChanges()
    history = History(limit: limits.history, at: revision, time: caseState.revisionTime)
    noteSecretsOfState()
    if old.isTranscribing, isTranscribing {
      observers.transcript?.goOn(from: old.observers.transcript)
      transcribe(.reload(hash: flow.hash))
    }
  }

  /// Begins anew, with the scopes that the host holds open in an earlier version.
  package func begin(after old: Engine) {
    record(insteadOf: old)
    reopen(old.heldScopeInstances)
    for instance in hostScopeInstances.held {
      transcribe(.open(scope: instance.scope, instance: instance.number))
    }
    old.end(because: "the flow was restarted")
  }

  /// Begins anew and replays the recorded inputs; returns the first difference.
  ///
  /// Calls under way are answered to the effects that wait for them again after the replay. So are open tasks, under
  /// the same call and try.
  package func replay(_ transcript: Transcript, after old: Engine) -> Transcript.Difference? {
    let keys = old.hostScopeInstances.held.map { ($0.number, $0.key) }
    record(insteadOf: old, effectsAfter: transcript.effectsBefore)
    calls.openBeforeReplay = old.openTasks
    defer { calls.openBeforeReplay = nil }
    let difference = replay(transcript, keys: Dictionary(uniqueKeysWithValues: keys))
    caseState.clock.takeOver(old.caseState.clock)
    let reason = "the flow is replayed from the beginning"
    calls.pending = old.calls.pending
    old.calls.pending = PendingCalls()
    calls.pending.cancelAll(because: reason) { effects.waiting(for: $0) != nil }
    old.end(because: reason)
    return difference
  }

  /// Continues the case of another engine: its journal, its clock, and its numbering of effects.
  ///
  /// Each call of a capability thus has its own id, however often its case began anew.
  ///
  /// - Parameter number: the number of the latest effect so far; nil for the other engine's.
  package func record(insteadOf old: Engine, effectsAfter number: Int? = nil) {
    caseState.advance(to: CaseState.Numbers(effects: number ?? old.caseState.lastEffect))
    observers.transcript?.setEffectsBefore(caseState.lastEffect)
    (observers.recorder, caseWriter) = (old.observers.recorder, old.caseWriter)
    observers.recorder?.needsImage = true
    caseState.keepsLog = observers.recorder != nil
    caseState.clock.beginAnew(after: old.caseState.clock)
  }

  private func expectMachines(of old: Engine) throws(HistoryError) {
    for machine in old.loadedMachines.sorted(by: { $0.name < $1.name }) {
      for (region, stop) in zip(
        machine.chart.chart.regions, old.derived.configuration[machine.regions])
      {
        guard let field = region.field, let state = machine.value(of: stop) else { continue }
        guard let (new, number) = self.region(named: field) else {
          throw HistoryError(.unfit, "machine \(field) is in \(state), and was removed")
        }
        guard new.state(state, in: number) != nil else {
          throw HistoryError(
            .unfit, "machine \(field) is in \(state), a state that was removed")
        }
      }
    }
  }

  /// Restores the state of another engine, and returns the transaction's result, the microsteps and the renamed states.
  private func restoreState(
    of old: Engine, _ steps: [Migration]
  ) throws(Rejection) -> (TransactionResult, [Microstep], [ActiveState: ActiveState]) {
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    var moves: [Microstep] = []
    var renamed: [ActiveState: ActiveState] = [:]
    if steps.isEmpty { try expectFit(of: old) }
    let result = try transaction(for: "the reload", startsRecords: false) {
      for gatekeeper in flow.gatekeepers
      where !caseState.passages.options(of: gatekeeper.name).isEmpty {
        try vm.touch(gatekeeper.title)
      }
      let names = Set(flow.rootNames)
      try take(
        state: old.vm.stateBytes(after: []), declaring: old.flow.rootNames.filter(names.contains),
        steps.compactMap(\.function))
      if !steps.isEmpty { try expectStates() }
      readMachines()
      readMemories()
      if !steps.isEmpty { renamed = statesRenamed(from: old) }
      let known = Dictionary(grouping: renamed.values, by: \.machine).mapValues { $0.map(\.state) }
      moves = try goOn { old.activePaths(of: $0).union(known[$0] ?? []) }
      let steps = TransactionSteps.leaving(moves, reducer: nil)
      if !steps.isEmpty { try vm.take(TransactionSteps(steps), budget: budget) }
    } eventless: {
      try takeEventlessMicrosteps(of: "the reload", from: derived.configuration, &moves)
    } delays: { () throws(ScriptError) in
      try workOutDelays(entering: moves)
    }
    standRecords()
    for move in moves { apply(move, stops: true) }
    return (result, moves, renamed)
  }

  /// Writes the whole state of an engine, migrated by functions.
  ///
  /// - Parameter names: the fields that its flow declares; nil if it has the same flow, and so only the same fields.
  package func take(
    state: [UInt8], declaring names: [String]? = nil, _ functions: [FlowFunction] = []
  ) throws(ScriptError) {
    // Three changes whose old values do not matter.
    var changes = ValueWriter()
    func begin() {
      changes.writeByte(Patch.Operation.set.rawValue)
      changes.write(.list([]))
      changes.write(.nil)
    }
    begin()
    var bytes = changes.bytes + state
    changes = ValueWriter()
    begin()
    changes.write(names.map { .list($0.map { .string($0) }) } ?? true)
    begin()
    changes.write(.list(functions.map { .integer(Int($0.reference.number)) }))
    bytes += changes.bytes
    try apply(bytes, backwards: false, "merge_changes")
  }

  /// Returns the migrations from a version of the flow to this one; throws if this version is the earlier one.
  package func migration(from before: Int) throws(HistoryError) -> [Migration] {
    let now = flow.version
    guard before <= now else {
      throw HistoryError(
        .unfit,
        "the state was stored by version \(before) of \(flow.file), and this is version \(now)")
    }
    return before < now ? (before + 1...now).compactMap { flow.migrations[$0] } : []
  }

  /// Throws if a machine is in a state that does not exist.
  func expectStates() throws(HistoryError) {
    for machine in loadedMachines {
      for (number, region) in machine.chart.chart.regions.enumerated() {
        guard let field = region.field, let said = text(of: field) else { continue }
        if machine.state(said, in: number) == nil {
          throw HistoryError(
            .unfit,
            "machine \(field) is in \(said), a state that was removed: set its new state in migrate"
          )
        }
      }
    }
  }

  /// Throws if the state does not fit this version's types; the error lists the misfits.
  private func expectFit(of old: Engine) throws(Rejection) {
    if flow.types.table == nil { return }
    let misfits: [String]
    do throws(ScriptError) {
      misfits = flow.types.misfits(in: try old.vm.state()) { [self] text, pattern in
        (try? matches(text, pattern)) ?? false
      }
    } catch {
      throw .failed(scriptFailure(error, action: "the reload"))
    }
    if misfits.isEmpty { return }
    let told = 10
    let more = misfits.count > told ? " (and \(misfits.count - told) more)" : ""
    let message =
      "the state does not fit: " + misfits.prefix(told).joined(separator: "; ") + more
    throw .failed(DispatchFailure(kind: .script, action: "the reload", message: message))
  }

  /// Enters the initial states inside the states in which the machines are, if they have any, and returns the
  /// microsteps.
  ///
  /// - Parameter known: returns the paths of a machine's states that were active before.
  func goOn(knowing known: (String) -> Set<String>) throws(ScriptError) -> [Microstep] {
    var moves: [Microstep] = []
    for machine in loadedMachines {
      var states: [ChartInterpreter.StateNumber] = []
      for (number, region) in machine.chart.chart.regions.enumerated() {
        guard let field = region.field, let said = text(of: field),
          let state = machine.state(said, in: number)
        else { continue }
        states.append(state)
        if machine.chart.nodes[Int(state)].leafNumber < 0 {
          derived.configuration[machine.firstRegion + number] = -1
        }
      }
      let (leafNumbers, entered) = try begin(machine, at: states)
      let known = known(machine.name)
      let move = Microstep(
        machine, from: Array(derived.configuration[machine.regions]), to: leafNumbers,
        entered: entered.filter { !known.contains(machine.path(of: $0)) })
      if !move.changes.isEmpty || !move.entered.isEmpty { moves.append(move.withoutLeaving) }
    }
    return moves
  }

  /// Returns the paths of a machine's active states.
  package func activePaths(of name: String) -> Set<String> {
    guard let machine = loadedMachines.first(where: { $0.name == name }) else { return [] }
    let active = machine.chart.nodes.indices.map(ChartInterpreter.StateNumber.init)
      .filter { machine.isActive($0, at: derived.configuration) }
    return Set(active.map(machine.path))
  }

  /// Takes over waiting effects, the calls for which they wait, and the queue.
  private func takeEffects(of old: Engine, _ renamed: RunningEffects.NewNames) {
    effects.goOn(from: old.effects, in: old.flowVersion)
    effects.renamed = renamed
    for effect in effects.all where effect.log != nil {
      caseState.effects[effect.number]?.rename(renamed.actions)
    }
    for flowVersion in effects.earlierVersions {
      flowVersion.actions.add(renamed.actions)
      serve(flowVersion)
    }
    calls.pending = old.calls.pending
    caseState.queue.rename(actions: renamed.actions)
    caseState.queue.rename(renamed.states)
    vm.beginWork(.effect, budget: mostPerChain)
    defer { vm.endWork() }
    let stateEffectTriggers = caseState.stateEffectTriggers
    for effect in effects.all where effect.state != nil {
      drop(effect.number, because: "the reload")
    }
    caseState.set(stateEffectTriggers: stateEffectTriggers)
    goOnWithEffectsOfStates(because: "the reload")
  }

  func dropWhatIsGone() {
    for timer in caseState.stopTimers(where: { !isThere($0) }) {
      guard let action = timer.action else { continue }
      drop(
        action, "set",
        because: action.transition == nil && !isKnown(action)
          ? reasonGone : "the reloaded flow has no such timer")
    }
    for action in caseState.queue.removeActions(where: { $0.transition == nil && !isKnown($0) }) {
      drop(action, "queued", because: reasonGone)
    }
    releasePostponedNoMore()
    let gatekeepers = Set(flow.gatekeepers.map(\.name))
    for option in caseState.freePassages(where: { !gatekeepers.contains($0.gatekeeper) }) {
      report(
        .dropped(
          "the passage \"\(option.option)\" of gatekeeper \(option.gatekeeper)",
          "the reloaded flow has no such gatekeeper"))
    }
  }

  /// Returns true if a queued action can be dispatched; actions sent by a document's sessions are declared nowhere.
  func isKnown(_ action: QueuedAction) -> Bool {
    dialect.acceptsAnyEvent || flow.action(named: action.name) != nil
  }

  private var reasonGone: String { "the reloaded flow has no such action" }
}
