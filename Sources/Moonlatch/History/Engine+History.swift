import LuaRuntime

/// Why the history cannot be gone along.
public struct HistoryError: Error, Sendable, CustomStringConvertible {
  /// A sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Going back and forth in the history.
extension Engine {
  /// The moment as it is now.
  func moment() -> History.Moment {
    let moment = History.Moment(
      keepers: keepers, random: random, timers: timers, entries: entries,
      openings: scopes.current, openingsVersion: scopes.version)
    lastMoment = moment
    return moment
  }

  /// The same, or nil where nothing in it has changed since the last one was made.
  func newMoment() -> History.Moment? {
    if let last = lastMoment,
      last.isStill(
        keepers: keepers.version, random: random.state, timers: timers.version,
        openings: scopes.version)
    {
      return nil
    }
    return moment()
  }

  /// Remembers a transition, with a snapshot where one is due.
  func remember(_ transition: Transition) {
    history.append(transition, newMoment())
    if history.needsSnapshot(at: transition.revision), let state = try? vm.stateBytes() {
      history.keep(state, at: transition.revision)
    }
  }

  package func undo(_ count: Int = 1) throws { try go(to: revision(back: count)) }

  package func redo(_ count: Int = 1) throws { try go(to: revision(forth: count)) }

  /// The revision so many transitions ago, if the history holds them.
  package func revision(back count: Int) throws(HistoryError) -> Int {
    let most = revision - history.reachable.lowerBound
    guard (0...most).contains(count) else {
      throw HistoryError("cannot undo \(count): the history holds \(most) before this revision")
    }
    return revision - count
  }

  /// The revision so many transitions later, if so many were undone.
  package func revision(forth count: Int) throws(HistoryError) -> Int {
    let most = history.reachable.upperBound - revision
    guard (0...most).contains(count) else {
      throw HistoryError("cannot redo \(count): the history holds \(most) after this revision")
    }
    return revision + count
  }

  func expectReachable(_ target: Int) throws(HistoryError) {
    let reachable = history.reachable
    guard reachable.contains(target) else {
      throw HistoryError(
        "revision \(target) is out of reach; the history holds "
          + "\(reachable.lowerBound) to \(reachable.upperBound)")
    }
  }

  /// Goes to a revision: state, machines, gatekeepers, random state, clock and the timers that were
  /// pending then.
  ///
  /// Effects that began later are stopped; the next transition continues from there. Gives how many
  /// transitions were replayed.
  @discardableResult
  package func go(to target: Int) throws -> Int {
    try expectReachable(target)
    guard target != revision, let (moment, then) = history.moment(at: target) else { return 0 }
    let replayed: Int
    vm.begin()
    do {
      replayed = try replay(to: target)
      try vm.adopt()
      _ = try vm.commit()
    } catch {
      vm.rollback()
      throw error
    }
    arrive(at: target, moment, then)
    try refreshScopes(since: "going to #\(target)")
    reopen(moment)
    notify()
    return replayed
  }

  /// What was pending then belongs to the openings that stand for those of then.
  private func reopen(_ moment: History.Moment) {
    var carry = Carry()
    for case (let then?, nil) in zip(moment.openings, scopes.current) {
      timers.remove(ownedBy: .instance(then))  // the host has closed it since
    }
    for case (let then?, let now?) in zip(moment.openings, scopes.current) where then != now {
      carry.instances[then] = now
    }
    if !carry.instances.isEmpty { timers.carry(carry) }
  }

  /// Gives how many transitions were replayed.
  private func replay(to target: Int) throws -> Int {
    var at = revision
    var replayed = 0
    if let (start, state) = history.snapshot(for: target, from: revision) {
      try vm.apply(
        Patch.wholeState(state).bytes, backwards: false,
        with: FlowLanguage.function("apply_changes", in: vm), budget: replayBudget)
      at = start
    }
    while at > target, let transition = history[at] {
      try vm.apply(
        transition.patch.bytes, backwards: true,
        with: FlowLanguage.function("apply_changes", in: vm), budget: replayBudget)
      at -= 1
      replayed += 1
    }
    while at < target, let transition = history[at + 1] {
      try vm.apply(
        transition.patch.bytes, backwards: false,
        with: FlowLanguage.function("apply_changes", in: vm), budget: replayBudget)
      at += 1
      replayed += 1
    }
    return replayed
  }

  private var replayBudget: Int { max(budget, 1_000_000_000) }

  private func arrive(at target: Int, _ moment: History.Moment, _ then: Int) {
    for task in effects.all where (effects[task]?.cause.revision ?? 0) > target {
      drop(task)
    }
    queue.removeAll()
    revision = target
    history.move(to: target)
    lastMoment = nil  // what follows has the moment of the target before it
    for (index, keeper) in flow.keepers.enumerated()
    where keepers.options(of: index) != moment.keepers.options(of: index) {
      try? vm.touch("gatekeeper \(keeper.name)")
    }
    keepers = moment.keepers
    random = moment.random
    entries = moment.entries
    timers.restore(moment.timers, keepingTasks: Set(effects.all))
    time = then
    if let state = try? vm.state() {
      for (index, machine) in flow.machines.enumerated() {
        if let name = state[machine.name]?.stringValue, let at = machine.index(of: name) {
          machines[index] = at
        }
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
