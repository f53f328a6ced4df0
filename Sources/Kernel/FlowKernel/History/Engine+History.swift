import FlowLanguage
import LuaRuntime

/// Going back and forth in the history.
extension Engine {
  /// Adds a transition to the history, which gives way if need be.
  package func remember(_ commit: Commit) {
    history.append(commit, caseState.takeChanges())
    // What else is kept has the history shrink as it grows: as long as this is little there is room.
    if history.size > limits.retained / 2 { reserve(for: 0) }
  }

  package func undo(_ count: Int = 1) throws { try go(to: revision(back: count)) }

  package func redo(_ count: Int = 1) throws { try go(to: revision(forth: count)) }

  /// The revision so many transitions ago, if the history holds them.
  package func revision(back count: Int) throws(HistoryError) -> Int {
    let most = revision - history.reachable.lowerBound
    guard (0...most).contains(count) else {
      throw HistoryError(
        .outOfReach(history.reachable),
        "cannot undo \(count): the history holds \(most) before this revision")
    }
    return revision - count
  }

  /// The revision so many transitions later, if so many were undone.
  package func revision(forth count: Int) throws(HistoryError) -> Int {
    let most = history.reachable.upperBound - revision
    guard (0...most).contains(count) else {
      throw HistoryError(
        .outOfReach(history.reachable),
        "cannot redo \(count): the history holds \(most) after this revision")
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

  /// Goes to a revision: state, machines, gatekeepers, random state, clock and the timers that were
  /// pending then.
  ///
  /// Effects that began later are stopped, and what is queued is dropped; both are reported. The next
  /// transition continues from there.
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

  /// Takes back, or makes again, what changed beside the tree between two revisions.
  private func applyChanges(from start: Int, to end: Int) {
    for at in stride(from: start, to: end, by: -1) { caseState.undo(history.changes(at: at)) }
    for at in stride(from: start + 1, through: end, by: 1) {
      caseState.redo(history.changes(at: at))
    }
  }

  /// Takes the patches between back, or makes them again, leg by leg; where one cannot be gone, back to
  /// where the first began.
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
          // Only a system without memory could be in the way.
          guard (try? goLeg(from: at, to: end)) != nil else { return }
          at = end
        }
      }
      throw error
    }
  }

  /// One leg on the way to another; nobody looks at the state between.
  private func goLeg(from start: Int, to end: Int) throws(Rejection) {
    vm.beginWorkApart(.dispatch, budget: mostPerChain)
    defer { vm.endWork() }
    _ = try transaction(
      for: "going to #\(end)", checksInvariants: false, worksOutKeys: false, startsRecords: false
    ) { try carryOut(from: start, to: end) }
  }

  private func carryOut(from start: Int, to end: Int) throws(ScriptError) {
    try apply(history.patch(between: start, and: end), backwards: end < start)
  }

  /// Makes stale what has read a gatekeeper that holds something else now.
  private func touchGatekeepers(changedSince held: HeldPassages) throws(ScriptError) {
    for gatekeeper in flow.gatekeepers
    where caseState.passages.differ(from: held, of: gatekeeper.name) {
      try vm.touch(gatekeeper.title)
    }
  }

  /// Writes changes that have stood before: as long as that takes.
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
    // What effects schedule as they are closed belongs to a history that does not go on.
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
    // Machines stand elsewhere, and nobody has gone on from there.
    vm.touchConditions()
    goOnWithEffectsOfStates(because: why)
  }

  /// Has the machines stand where their fields in the tree say.
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

  /// What a machine's field in the tree says.
  package func text(of field: String) -> String? { try? value(at: [.string(field)]).stringValue }

  /// A copy of what stands at a path of the tree.
  package func value(at path: [Value]) throws(ScriptError) -> Value {
    try vm.call(
      FlowPreludes.function("read_at", in: vm), [.list(path)], phase: .rule, budget: budget
    ).first ?? .nil
  }
}
