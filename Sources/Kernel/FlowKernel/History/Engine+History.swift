import FlowLanguage
import LuaRuntime

/// Moves along the history.
extension Engine {
  /// Appends a commit to the history, and drops the oldest ones if the memory limit requires it.
  package func remember(_ commit: Commit) {
    history.append(commit, caseState.takeChanges())
    // Other stored data shrinks the history when it grows; while the history is below half of the limit, there is
    // space.
    if history.size > limits.retained / 2 { reserve(for: 0) }
  }

  package func undo(_ count: Int = 1) throws { try go(to: revision(back: count)) }

  package func redo(_ count: Int = 1) throws { try go(to: revision(forth: count)) }

  /// Returns the revision `count` commits earlier; throws if the history does not reach so far.
  package func revision(back count: Int) throws(HistoryError) -> Int {
    let most = revision - history.reachable.lowerBound
    guard (0...most).contains(count) else {
      throw HistoryError(
        .outOfReach(history.reachable),
        "cannot undo \(count): at most \(most) can be undone")
    }
    return revision - count
  }

  /// Returns the revision `count` commits later; throws if fewer have been undone.
  package func revision(forth count: Int) throws(HistoryError) -> Int {
    let most = history.reachable.upperBound - revision
    guard (0...most).contains(count) else {
      throw HistoryError(
        .outOfReach(history.reachable),
        "cannot redo \(count): at most \(most) can be redone")
    }
    return revision + count
  }

  func expectReachable(_ target: Int) throws(HistoryError) {
    let reachable = history.reachable
    guard reachable.contains(target) else {
      throw HistoryError(
        .outOfReach(reachable),
        "revision \(target) is out of reach; the history holds "
          + "\(reachable.lowerBound) to \(reachable.upperBound)")
    }
  }

  /// Goes to a revision: restores its state, machines, gatekeepers, random state, clock and pending timers.
  ///
  /// Effects that began later are stopped, and the queue is dropped; both are reported. The next commit continues from
  /// that revision.
  package func go(to target: Int) throws {
    try expectReachable(target)
    guard target != revision, let then = history.time(at: target) else { return }
    vm.beginUntimed()
    defer { vm.endUntimed() }
    let held = caseState.passages
    let latest = caseState.takeChanges()
    vm.beginWork(.dispatch, budget: mostPerChain)
    defer { vm.endWork() }
    caseState.undo(latest)
    applyChanges(from: revision, to: target)
    do throws(Rejection) {
      try goTree(to: target, since: held)
    } catch {
      applyChanges(from: target, to: revision)
      caseState.redo(latest)
      caseState.giveBack(latest)
      throw error.failure
    }
    transcribe(.go(to: target))
    caseState.queue.outsideCame()
    observers.recorder?.needsImage = true
    enterRevision(at: target, then)
    let scopeInstances = caseState.scopeInstances
    refreshScopes(since: "going to #\(target)")
    noteScopeInstances()
    let hosts = Set(flow.scopes.filter(\.isHosts).map(\.name))
    caseState.reopen(scopeInstances, exceptOf: hosts)
    notify()
  }

  /// Undoes, or redoes, the changes outside of the tree between two revisions.
  private func applyChanges(from start: Int, to end: Int) {
    for at in stride(from: start, to: end, by: -1) { caseState.undo(history.changes(at: at)) }
    for at in stride(from: start + 1, through: end, by: 1) {
      caseState.redo(history.changes(at: at))
    }
  }

  /// Undoes, or redoes, the patches between the current revision and another, leg by leg.
  ///
  /// If a leg fails, goes back to the revision at which the first leg began, and throws.
  private func goTree(to target: Int, since held: HeldPassages) throws(Rejection) {
    var at = revision
    do throws(Rejection) {
      var end = history.leg(from: at, to: target)
      while end != target {
        try goLeg(from: at, to: end)
        at = end
        end = history.leg(from: at, to: target)
      }
      _ = try transaction(
        for: "going to #\(target)", checksInvariants: false, startsRecords: false
      ) {
        try touchGatekeepers(changedSince: held)
        try carryOut(from: at, to: target)
      }
    } catch {
      vm.liftLimits {
        while at != revision {
          let end = history.leg(from: at, to: revision)
          // Only a lack of memory could make this fail.
          guard (try? goLeg(from: at, to: end)) != nil else { return }
          at = end
        }
      }
      throw error
    }
  }

  /// Applies one leg on the way to another; nothing observes the state in between.
  private func goLeg(from start: Int, to end: Int) throws(Rejection) {
    vm.beginWorkApart(.dispatch, budget: mostPerChain)
    defer { vm.endWork() }
    _ = try transaction(
      for: "going to #\(end)", checksInvariants: false, worksOutKeys: false, startsRecords: false
    ) { try carryOut(from: start, to: end) }
  }

  private func carryOut(from start: Int, to end: Int) throws(ScriptError) {
    try apply(history.writes(between: start, and: end), backwards: end < start)
  }

  /// Invalidates what has read a gatekeeper whose passages have changed.
  private func touchGatekeepers(changedSince held: HeldPassages) throws(ScriptError) {
    for gatekeeper in flow.gatekeepers
    where caseState.passages.differ(from: held, of: gatekeeper.name) {
      try vm.touch(gatekeeper.title)
    }
  }

  /// Writes stored changes; the limit is high enough for any number of them.
  package func apply(
    _ changes: [UInt8], backwards: Bool, _ function: String = "apply_changes"
  ) throws(ScriptError) {
    let most = max(budget, 1_000_000_000)
    vm.beginWorkApart(.reducer, budget: most)
    defer { vm.endWork() }
    try vm.apply(
      changes, backwards: backwards, with: FlowPreludes.function(function, in: vm), budget: most)
  }

  private func enterRevision(at target: Int, _ then: Int) {
    let why = "going to #\(target)"
    // Timers that effects set while they are closed belong to a history that is given up.
    let savepoint = caseState.savepoint
    for queued in caseState.queue.actions { drop(queued, "queued", because: why) }
    let stateEffectTriggers = caseState.stateEffectTriggers
    for effect in effects.all
    where effect.cause.revision > target
      || effect.state.map({ stateEffectTriggers[$0]?.cause.revision != effect.cause.revision })
        == true
    {
      takeBack(effect.number, because: why)
    }
    caseState.queue.removeAll()
    caseState.rollback(to: savepoint)
    caseState.set(revision: target, time: then)
    history.move(to: target)
    caseState.clock.goBack(to: then)
    readMachines()
    if configuration.hasHistory { readMemories() }
    // The machines are in other states, from which nothing has been evaluated.
    vm.touchConditions()
    goOnWithEffectsOfStates(because: why)
  }

  /// Sets the configuration of the machines from their fields in the tree.
  package func readMachines() {
    for machine in loadedMachines {
      for (number, region) in machine.chart.chart.regions.enumerated() {
        guard let field = region.field else { continue }
        let leafNumber = text(of: field).flatMap { machine.chart.leafNumber($0, in: number) }
        if leafNumber != nil || number > 0 {
          derived.configuration[machine.firstRegion + number] = leafNumber ?? -1
        }
      }
    }
  }

  /// Returns the text of a machine's field in the tree; nil if it has none.
  package func text(of field: String) -> String? { try? value(at: [.string(field)]).stringValue }

  /// Returns a copy of the value at a path of the tree.
  package func value(at path: [Value]) throws(ScriptError) -> Value {
    try vm.call(
      FlowPreludes.function("read_at", in: vm), [.list(path)], phase: .rule, budget: budget
    ).first ?? .nil
  }
}
