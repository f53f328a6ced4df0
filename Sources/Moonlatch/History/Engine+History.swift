import LuaRuntime

/// Going back and forth in the history.
extension Engine {
  /// Remembers a transition, with a snapshot where one is due.
  func remember(_ transition: Transition) {
    history.append(transition, ledger.takeChanges())
    if history.needsSnapshot(at: transition.revision), let state = try? vm.stateBytes() {
      history.keep(state, at: transition.revision)
    }
    // What else is kept has the history shrink as it grows: as long as this is little there is room.
    if history.size > limits.retained / 2 { makeRoom(for: 0) }
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
  /// transition continues from there. Gives how many transitions were replayed.
  @discardableResult
  package func go(to target: Int) throws -> Int {
    try expectReachable(target)
    guard target != revision, let then = history.time(at: target) else { return 0 }
    let before = ledger
    var replayed = 0
    vm.beginWork(.dispatch, budget: mostPerChain)
    defer { vm.endWork() }
    do throws(Rejection) {
      goLedger(to: target)
      _ = try transaction(for: "going to #\(target)", checksInvariants: false) {
        try touchKeepers(changedSince: before)
        replayed = try replay(to: target)
      }
    } catch {
      ledger = before
      try? touchKeepers(changedSince: before)
      throw error.failure
    }
    transcribe(.go(to: target))
    arrive(at: target, then)
    let openings = ledger.openings
    refreshScopes(since: "going to #\(target)")
    noteOpenings()
    let hosts = Set(flow.scopes.filter(\.isHosts).map(\.name))
    ledger.reopen(openings, exceptOf: hosts)
    notify()
    return replayed
  }

  /// Takes back, or makes again, what changed beside the tree between here and there.
  private func goLedger(to target: Int) {
    ledger.undo(ledger.takeChanges())
    for at in stride(from: revision, to: target, by: -1) { ledger.undo(history.changes(at: at)) }
    for at in stride(from: revision + 1, through: target, by: 1) {
      ledger.redo(history.changes(at: at))
    }
  }

  /// Makes stale what has read a gatekeeper that holds something else now.
  private func touchKeepers(changedSince before: Ledger) throws(ScriptError) {
    for keeper in flow.keepers
    where ledger.passages.differ(from: before.passages, of: keeper.name) {
      try vm.touch(keeper.title)
    }
  }

  /// Gives how many transitions were replayed.
  private func replay(to target: Int) throws -> Int {
    var at = revision
    var replayed = 0
    if let (start, state) = history.snapshot(for: target, from: revision) {
      try apply(Patch.wholeState(state).bytes, backwards: false)
      at = start
    }
    while at > target, let transition = history[at] {
      try apply(transition.patch.bytes, backwards: true)
      at -= 1
      replayed += 1
    }
    while at < target, let transition = history[at + 1] {
      try apply(transition.patch.bytes, backwards: false)
      at += 1
      replayed += 1
    }
    return replayed
  }

  /// Writes changes that have stood before: as long as that takes.
  func apply(
    _ changes: CompactBytes, backwards: Bool, _ function: String = "apply_changes"
  ) throws(ScriptError) {
    let most = max(budget, 1_000_000_000)
    vm.beginWorkApart(.reducer, budget: most)
    defer { vm.endWork() }
    try vm.apply(
      changes, backwards: backwards, with: FlowLanguage.function(function, in: vm), budget: most)
  }

  private func arrive(at target: Int, _ then: Int) {
    let why = "going to #\(target)"
    // What effects schedule as they are closed belongs to a history that does not go on.
    let mark = ledger.mark
    for queued in queue.actions { drop(queued, "queued", because: why) }
    for effect in effects.all where effect.cause.revision > target {
      takeBack(effect.number, because: why)
    }
    queue.removeAll()
    ledger.goBack(to: mark)
    revision = target
    history.move(to: target)
    time = then
    readMachines()
  }

  /// Has the machines stand where their fields in the tree say.
  func readMachines() {
    for (index, machine) in flow.machines.enumerated() {
      let field = try? vm.call(
        FlowLanguage.function("read_at", in: vm), [.list([.string(machine.name)])], phase: .rule,
        budget: budget)
      if let state = field?.first?.stringValue.flatMap(machine.index(of:)) {
        machines[index] = state
      }
    }
  }
}

extension Patch {
  /// A patch that sets the whole state to what the bytes hold.
  static func wholeState(_ state: [UInt8]) -> Patch {
    let head = [Operation.set.rawValue, ValueTag.list.rawValue, 0, ValueTag.nil.rawValue]
    return Patch(bytes: CompactBytes(head + state))
  }
}
