import FlowLanguage
import LuaRuntime
import StateCharts

/// Another text of the flow takes the place of the present one.
extension Engine {
  /// Takes the place of an engine with an earlier text of the flow, whose state it keeps.
  ///
  /// What was held, pending or open stays so, under its numbers. Effects go on in the text in which they
  /// began until they end: calls of capabilities that are under way are answered to them, what they
  /// dispatch and read is this text's. What does not fit any more (timers of actions that are gone,
  /// passages of gatekeepers that are gone) is dropped and reported; scopes that the new keys do not hold
  /// open close, with their clean-ups.
  ///
  /// Throws where what was does not fit what is: then this engine is to be thrown away, and the old one
  /// is as it was.
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

  /// Starts anew, with the scopes that the host holds open in an earlier text.
  package func begin(after old: Engine) {
    record(insteadOf: old)
    reopen(old.heldScopeInstances)
    for opening in hostScopeInstances.held {
      transcribe(.open(scope: opening.scope, opening: opening.number))
    }
    old.end(because: "the flow begins anew")
  }

  /// Starts anew and plays what came from outside; gives the first difference.
  ///
  /// Calls that are under way are answered to the effects that have come to wait for them again.
  package func replay(_ transcript: Transcript, after old: Engine) -> Transcript.Difference? {
    let keys = old.hostScopeInstances.held.map { ($0.number, $0.key) }
    record(insteadOf: old, effectsAfter: transcript.effectsBefore)
    let difference = replay(transcript, keys: Dictionary(uniqueKeysWithValues: keys))
    caseState.clock.takeOver(old.caseState.clock)
    let reason = "the flow is played again from the beginning"
    calls.pending = old.calls.pending
    old.calls.pending = PendingCalls()
    calls.pending.cancelAll(because: reason) { effects.waiting(for: $0) != nil }
    old.end(because: reason)
    return difference
  }

  /// Goes on with the case of another engine: its journal, its place in the calendar, and its numbers of effects.
  ///
  /// A call of a capability so has an id of its own, however often its case began anew.
  ///
  /// - Parameter number: that of the latest effect so far; nil for the other engine's.
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
          throw HistoryError(.unfit, "machine \(field) is gone, which is in \(state)")
        }
        guard new.state(state, in: number) != nil else {
          throw HistoryError(
            .unfit, "machine \(field) is in \(state), a state that is gone")
        }
      }
    }
  }

  /// Gives what the timers are to do of states that are active only now, and what has led there.
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

  /// Writes the whole state of an engine, brought up to date by functions.
  ///
  /// - Parameter names: the fields that its flow declares; nil where it has the same flow, so that there are no fields
  ///   but its own then.
  package func take(
    state: [UInt8], declaring names: [String]? = nil, _ functions: [FlowFunction] = []
  ) throws(ScriptError) {
    // Three changes, of which it is nobody's matter what was there before.
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

  /// The steps from a version of the flow to this one.
  package func migration(from before: Int) throws(HistoryError) -> [Migration] {
    let now = flow.version
    guard before <= now else {
      throw HistoryError(
        .unfit,
        "the state is of version \(before) of \(flow.file), and this text is version \(now)")
    }
    return before < now ? (before + 1...now).compactMap { flow.migrations[$0] } : []
  }

  /// Machines are in states that there are.
  func expectStates() throws(HistoryError) {
    for machine in loadedMachines {
      for (number, region) in machine.chart.chart.regions.enumerated() {
        guard let field = region.field, let said = text(of: field) else { continue }
        if machine.state(said, in: number) == nil {
          throw HistoryError(
            .unfit,
            "machine \(field) is in \(said), a state that is gone: migrate says which it is now")
        }
      }
    }
  }

  /// Throws where the state is not what this text's types say, with all that is wrong.
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

  /// Machines go on to where the states in which they are begin now, if they have others inside.
  ///
  /// - Parameter known: the paths of a machine's states that were active before.
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

  /// The paths of a machine's active states.
  package func activePaths(of name: String) -> Set<String> {
    guard let machine = loadedMachines.first(where: { $0.name == name }) else { return [] }
    let active = machine.chart.nodes.indices.map(ChartInterpreter.StateNumber.init)
      .filter { machine.isActive($0, at: derived.configuration) }
    return Set(active.map(machine.path))
  }

  /// Effects that wait, the answers that they wait for, and what is queued.
  private func takeEffects(of old: Engine, _ renamed: RunningEffects.NewNames) {
    effects.goOn(from: old.effects, in: old.flowVersion)
    effects.renamed = renamed
    for effect in effects.all where effect.log != nil {
      caseState.effects[effect.number]?.rename(renamed.actions)
    }
    for flowVersion in effects.earlierHomes {
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

  /// Whether what was put off can come: what the sessions of a document send is declared nowhere.
  func isKnown(_ action: QueuedAction) -> Bool {
    dialect.acceptsAnyEvent || flow.action(named: action.name) != nil
  }

  private var reasonGone: String { "the reloaded flow has no such action" }
}
