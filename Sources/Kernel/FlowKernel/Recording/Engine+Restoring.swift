import FlowLanguage
import LuaRuntime

/// Restores a case from its stored state.
extension Engine {
  /// Starts to record entries; the first one contains the whole state of the case.
  ///
  /// - Parameters:
  ///   - isKnown: true if the journal has the whole state already; then the first entry contains changes only.
  ///   - keepsTime: true if time that passes without other changes is recorded too, as is needed if no clock outside
  ///     gives the time.
  ///   - keepsRefusals: true if rejected dispatches are recorded too.
  package func startRecording(
    isKnown: Bool = false, keepsTime: Bool = true, keepsRefusals: Bool = false
  ) {
    caseState.keepsLog = true
    observers.recorder = TurnRecorder(
      self, keepsTime: keepsTime, keepsRefusals: keepsRefusals)
    observers.recorder?.needsImage = !isKnown
  }

  /// Returns the next entry; nil if nothing has happened since the last one.
  package func takeEntry() throws(ScriptError) -> [UInt8]? {
    guard var recorder = observers.recorder else { return nil }
    observers.recorder = nil
    defer { observers.recorder = recorder }
    return try recorder.entry(of: self)
  }

  /// Returns the tasks that the latest entry has opened and closed.
  package func takeTaskChanges() -> TaskChanges {
    observers.recorder?.takeTaskChanges() ?? TaskChanges()
  }

  /// Sets the tasks that are open according to the journal: the next entry opens and closes those that differ.
  package func setKnownTasks(_ tasks: Set<OpenTask.Key>) {
    observers.recorder?.setKnownTasks(tasks)
  }

  /// Restores a case in an engine that has just begun with the same version of the flow.
  ///
  /// Effects that were under way are left to `resume`.
  ///
  /// - Throws: an error if the stored state is not of this flow; this engine must then be discarded.
  package func take(_ image: CaseImage) throws {
    vm.beginUntimed()
    defer { vm.endUntimed() }
    let own = caseState
    caseState = image.caseState
    do throws(Rejection) {
      try restoreTree(of: image)
    } catch {
      caseState = own
      throw error.failure
    }
    let scopeInstances = caseState.scopeInstances
    scopes.goOn(from: scopeInstances, closed: image.closed)
    refreshScopes(since: nil)
    try expectScopeInstances(scopeInstances)
    noteScopeInstances()
    // Conditions that were evaluated before the state was restored.
    vm.touchConditions()
    history = History(limit: limits.history, at: revision, time: caseState.revisionTime)
    caseState.set(pendingChanges: image.caseState.pendingChanges)
    noteSecretsOfState()
    observers.transcript?.beginMidway()
  }

  private func restoreTree(of image: CaseImage) throws(Rejection) {
    vm.beginWork(.dispatch, budget: mostPerChain)
    defer { vm.endWork() }
    let action = "the restart"
    func leg(_ isLast: Bool, _ change: () throws -> Void) throws(Rejection) {
      _ = try transaction(
        for: action, checksInvariants: false, worksOutKeys: isLast, startsRecords: false, change)
    }
    let legs = image.patches.legs
    try leg(legs.isEmpty) {
      for gatekeeper in flow.gatekeepers
      where !caseState.passages.options(of: gatekeeper.name).isEmpty {
        try vm.touch(gatekeeper.title)
      }
      try take(state: image.tree)
    }
    for (index, patch) in legs.enumerated() {
      try leg(index == legs.count - 1) { try apply(patch, backwards: false) }
    }
    readMachines()
    if configuration.hasHistory { readMemories() }
  }

  /// Checks that the keys in the state open just these scopes; throws if they do not, since it is then of another flow.
  private func expectScopeInstances(_ scopeInstances: [CaseState.ScopeInstance])
    throws(JournalError)
  {
    let hosts = Set(flow.scopes.filter(\.isHosts).map(\.name))
    func keyed(_ all: [CaseState.ScopeInstance]) -> Set<CaseState.ScopeInstance> {
      all.filter { $0.scope != ScopeDeclaration.root && !isInside($0.scope, hosts) }.reduce(into: []
      ) { $0.insert($1) }
    }
    let (then, now) = (keyed(scopeInstances), keyed(scopes.scopeInstances))
    guard then == now else {
      let differing = then.symmetricDifference(now).map(\.scope).min() ?? ""
      throw JournalError(
        .otherFlow,
        "the stored case does not fit this flow: in its state scope \(differing) is "
          + "\(now.contains { $0.scope == differing } ? "open" : "closed") here, and was not")
    }
  }

  /// Returns true if a scope is the host's, or lies in one.
  private func isInside(_ scope: String, _ hosts: Set<String>) -> Bool {
    var at: String? = scope
    while let name = at {
      if hosts.contains(name) { return true }
      at = scopes.index(of: name).flatMap { flow.scopes[$0].parent }
    }
    return false
  }

  // MARK: Resuming work

  /// Resumes the work that was under way when the process ended.
  ///
  /// Durable effects are run again, other effects that had begun are cut off and end as `on_error` says, effects whose
  /// turn had not come begin, and the queue is run.
  ///
  /// - Parameter runsQueue: true to run the queue now.
  package func resume(runsQueue: Bool = true) {
    vm.beginWork(.effect, budget: mostPerChain)
    defer { vm.endWork() }
    guard settings.startsEffectsAndTimers else { return }
    for number in caseState.effects.keys.sorted() where effects[number] == nil {
      if let stored = caseState.effects[number] { resumeStoredEffect(with: stored) }
    }
    while !caseState.upcomingEffects.isEmpty {
      startStoredEffect(caseState.upcomingEffects.removeFirst())
    }
    if runsQueue { forNobody { self.runQueue() } }
  }

  /// Returns the effect of a stored record, under the current name of its state or action; nil if the flow has none.
  package func effect(of stored: EffectRecord) -> Effect? {
    if let state = effects.renamed[stored.state] { return effect(of: state) }
    let action = stored.commit.action
    let now = effects.renamed.actions[action]
    if now != action, stored.title == Names.dotted("effect", action),
      let renamed = flow.effect(titled: Names.dotted("effect", now), ordinal: stored.ordinal)
    {
      return renamed
    }
    return flow.effect(titled: stored.title, ordinal: stored.ordinal)
  }

  private func resumeStoredEffect(with stored: EffectRecord) {
    guard let effect = effect(of: stored) else {
      let reason = "the flow has no such effect any more"
      lose(stored)
      recordFailure(
        stored.title, of: stored.commit, stored.cause, reason, number: stored.number,
        attempts: stored.attempts)
      report(.stopped(title: stored.title, revision: stored.cause.revision, reason))
      return
    }
    guard effect.isDurable, !stored.log.isEmpty else { return cutOff(stored, effect) }
    do throws(ScriptError) {
      try runAgain(stored, effect)
    } catch {
      lose(stored)
      ended(
        effect, of: stored.commit, stored.cause, error, during: effects.renamed[stored.state],
        number: stored.number, attempts: stored.attempts)
    }
  }

  /// Drops an effect that an earlier process began and that does not go on.
  private func lose(_ stored: EffectRecord) {
    caseState.effects[stored.number] = nil
    deliver(.effectLost(stored.number), to: .effects)
    if let state = effects.renamed[stored.state] {
      caseState.end(state, since: stored.cause.revision)
    }
  }

  private func cutOff(_ stored: EffectRecord, _ effect: Effect) {
    lose(stored)
    let title = effect.title(during: effects.renamed[stored.state])
    ended(
      effect, of: stored.commit, stored.cause,
      ScriptError(
        .runtime, "\(title) was cut off by a restart", at: effect.function.place),
      during: effects.renamed[stored.state], number: stored.number, attempts: stored.attempts)
  }

  private func startStoredEffect(_ stored: EffectRecord) {
    guard let effect = effect(of: stored) else { return }
    if let state = effects.renamed[stored.state] {
      let commit = stored.commit
      caseState.begin(
        state,
        QueuedAction(
          name: commit.action, payload: commit.payload, cause: stored.cause))
    }
    if let own = stored.own { scopes.put(own) }
    let instance = scopes[stored.instance] == nil ? nil : stored.instance
    do throws(ScriptError) {
      try vm.setPayload(stored.commit.payload, shape: payloadShape(of: stored.commit.action))
    } catch {
      return ended(
        effect, of: stored.commit, stored.cause, error, during: effects.renamed[stored.state])
    }
    start(
      effect, in: instance ?? scopes.current[0] ?? 1, stored.commit, stored.cause,
      during: effects.renamed[stored.state])
  }

  /// Records the effects that a commit is about to start.
  func noteUpNext(
    _ action: LoadedAction, _ moves: [Microstep], _ commit: Commit,
    _ follow: (cause: Cause, instance: Int?)
  ) {
    let root = scopes.current[0] ?? 1
    caseState.upcomingEffects = action.effects.map { index in
      let effect = flow.effects[index]
      return EffectRecord(
        number: 0, title: effect.title, ordinal: effect.ordinal, state: nil,
        cause: follow.cause, instance: effect.isShared ? root : follow.instance ?? root,
        commit: commit,
        own: effect.isShared ? nil : follow.instance.flatMap(closedScopeInstance))
    }
    for (state, effect) in beginning(after: moves) {
      caseState.upcomingEffects.append(
        EffectRecord(
          number: 0, title: effect.title, ordinal: 0, state: state, cause: follow.cause,
          instance: root, commit: commit))
    }
  }
}

extension [[UInt8]] {
  /// The patches, joined into parts of about 64 KiB: the VM remembers every write of a transaction until that ends.
  fileprivate var legs: [[UInt8]] {
    var legs: [[UInt8]] = []
    for patch in self {
      if let last = legs.last, last.count + patch.count <= 64 << 10 {
        legs[legs.count - 1] += patch
      } else {
        legs.append(patch)
      }
    }
    return legs
  }
}
