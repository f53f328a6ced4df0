import LuaRuntime

/// All that belongs to a revision beside the state's tree: held passages, pending timers, openings of
/// scopes, what machines' history remembers, both generators, the clock.
///
/// It goes along with the tree: a transition that fails takes its changes back here too, and the
/// history keeps for each transition the changes that came with it, as it keeps the patch of the
/// tree. It knows gatekeepers, machines and scopes by name, so that a flow whose text was written
/// anew can take it over, and it can be encoded.
///
/// Where machines stand is part of the tree. Effects under way are not here: they cannot go back.
struct Ledger: Sendable {
  /// Where a transition began.
  struct Savepoint {
    fileprivate let changes: Int
    fileprivate let random: SeededRandom
  }

  private(set) var passages = HeldPassages()
  private(set) var timers = Timers()
  private(set) var scopeInstances: [ScopeInstance] = []
  /// The paths of the states that were active inside a state when it was last left.
  private(set) var historyValues: [Remembered: [String]] = [:]
  /// The effects of states that are under way, each with the action with which it began.
  private(set) var stateEffectTriggers: [ActiveState: QueuedAction] = [:]
  /// The bytes that these take, about.
  private(set) var lastingSize = 0
  /// The generator of reducers; where the host has a source of its own, a position in that.
  var random: SeededRandom
  /// The generator of effects, likewise.
  var effectRandom: SeededRandom
  var clock: CaseClock
  /// The timers of states whose actions were refused while the states lasted on, as messages tell them.
  private(set) var refusedTimers: [ActiveState: [String]] = [:]

  /// What has changed since the history was last told.
  private var changes: [Change] = []
  /// Whether what changes is logged too, for a journal.
  var keepsLog = false
  /// What has changed since the log was last taken, but for the generators and the clock.
  private var log: [Change] = []
  private var toldRandom: SeededRandom
  private var toldEffectRandom: SeededRandom

  init(random: SeededRandom, effectRandom: SeededRandom, clock: CaseClock) {
    self.clock = clock
    (self.random, toldRandom) = (random, random)
    (self.effectRandom, toldEffectRandom) = (effectRandom, effectRandom)
  }

  /// What was kept of another ledger.
  init(
    passages: HeldPassages, timers: Timers, scopeInstances: [ScopeInstance],
    historyValues: [Remembered: [String]],
    stateEffectTriggers: [ActiveState: QueuedAction], random: SeededRandom,
    effectRandom: SeededRandom, clock: CaseClock, refusedTimers: [ActiveState: [String]]
  ) {
    self.init(random: random, effectRandom: effectRandom, clock: clock)
    (self.passages, self.timers, self.scopeInstances) = (passages, timers, scopeInstances)
    (self.historyValues, self.refusedTimers) = (historyValues, refusedTimers)
    set(stateEffectTriggers: stateEffectTriggers)
  }

  /// These passages are held, and no others; nobody goes back to before.
  mutating func set(passages now: HeldPassages) { passages = now }

  private mutating func note(_ change: Change) {
    changes.append(change)
    if keepsLog { log.append(change) }
  }

  /// What has changed since this was last asked, but for the generators and the clock.
  mutating func takeLog() -> [Change] {
    if log.isEmpty { return [] }
    defer { log = [] }
    return log
  }

  /// Numbers go on from these, where they are not further on.
  mutating func goOn(passages: Int, timers: Int) {
    self.passages.goOn(from: passages)
    self.timers.goOn(from: timers)
  }

  // MARK: Passages

  /// Gives the passage's number; nil: somebody holds the option.
  mutating func take(_ option: GatekeeperOption, action: String, revision: Int) -> Int? {
    guard let taken = passages.attempt(option, by: action, at: revision, time: clock.now) else {
      return nil
    }
    note(.taken(taken))
    return passages.lastNumber
  }

  mutating func free(_ option: GatekeeperOption) {
    if let freed = passages.reset(option) { note(.freed(freed)) }
  }

  // MARK: Timers

  /// Gives the timer's number.
  @discardableResult
  mutating func set(
    _ action: QueuedAction, due: Int, owner: PendingTimer.Owner, every: Int? = nil
  ) -> Int {
    let timer = timers.add(.action(action), due: due, owner: owner, every: every)
    note(.set(timer))
    return timer.number
  }

  /// Has an effect wake up.
  ///
  /// That is no change of the revision's: an effect does not go back.
  ///
  /// - Parameter number: of the timer, where it had one in the process before; 0 for a new one.
  mutating func wake(_ effect: Int, due: Int, timer number: Int = 0) {
    if number == 0 {
      _ = timers.add(.wake(effect), due: due, owner: .effect(effect))
    } else {
      timers.put(
        PendingTimer(due: due, number: number, event: .wake(effect), owner: .effect(effect)))
    }
  }

  mutating func takeNextTimer() -> PendingTimer? {
    guard let timer = timers.takeNext() else { return nil }
    note([timer])
    return timer
  }

  /// Stops the timers of an owner, and gives them in the order in which they were set.
  @discardableResult
  mutating func stopTimers(ownedBy owner: PendingTimer.Owner) -> [PendingTimer] {
    let stopped = timers.remove(ownedBy: owner)
    note(stopped)
    return stopped
  }

  /// States have other names from now on: timers of theirs and effects that are under way go along.
  ///
  /// - Parameter action: what a timer does under the new name.
  mutating func rename(
    _ states: [ActiveState: ActiveState],
    _ action: (PendingTimer, ActiveState) -> QueuedAction?
  ) {
    var moved: [PendingTimer] = []
    var begun: [(ActiveState, QueuedAction)] = []
    var refused: [(ActiveState, [String])] = []
    for (old, new) in states.sorted(by: { $0.key.title < $1.key.title }) {
      for (owner, owned) in [
        (PendingTimer.Owner.state(old), PendingTimer.Owner.state(new)),
        (.stateEffect(old), .stateEffect(new)),
      ] {
        moved += stopTimers(ownedBy: owner).map { timer in
          timer.owned(by: owned, action(timer, new))
        }
      }
      if let began = stateEffectTriggers[old] {
        end(old)
        begun.append((new, began))
      }
      if let sentences = refusedTimers[old] {
        set(refusedTimers: [], of: old)
        refused.append((new, sentences))
      }
    }
    for timer in moved {
      timers.put(timer)
      note(.set(timer))
    }
    for (state, began) in begun { begin(state, began) }
    for (state, sentences) in refused { set(refusedTimers: sentences, of: state) }
  }

  /// Stops the timers that effects have set for an action with such a payload; those of states live
  /// as long as the state does.
  ///
  /// Gives how many there were.
  mutating func cancel(_ action: String, where matches: (Value) -> Bool) -> Int {
    let cancelled = timers.timers(of: action).filter {
      if case .state = $0.owner { return false }
      return $0.action.map { matches($0.payload) } == true
    }
    for timer in cancelled { timers.remove(timer.number) }
    note(cancelled)
    return cancelled.count
  }

  /// Stops the timer of that number: false where it is not pending.
  mutating func cancel(_ number: Int) -> Bool {
    guard let timer = timers.remove(number) else { return false }
    note([timer])
    return true
  }

  /// Stops the timers that are such.
  mutating func cancelTimers(where isGone: (PendingTimer) -> Bool) {
    let gone = timers.pending.filter(isGone)
    for timer in gone { timers.remove(timer.number) }
    note(gone)
  }

  private mutating func note(_ gone: [PendingTimer]) {
    for timer in gone where timer.action != nil { note(.gone(timer)) }
  }

  /// The timers of a state that were refused while it lasts on; an empty list for none.
  mutating func set(refusedTimers sentences: [String], of state: ActiveState) {
    let old = refusedTimers[state] ?? []
    if old == sentences { return }
    note(.refusedTimers(state, old, sentences))
    refusedTimers[state] = sentences.isEmpty ? nil : sentences
  }

  // MARK: Effects of states

  mutating func begin(_ state: ActiveState, _ action: QueuedAction) {
    end(state)
    put(state, action)
    note(.began(state, action))
  }

  /// It has ended, or is stopped; nothing where another one than that of the revision is under way.
  mutating func end(_ state: ActiveState, since revision: Int? = nil) {
    guard let began = stateEffectTriggers[state],
      revision == nil || began.cause.revision == revision
    else {
      return
    }
    put(state, nil)
    note(.ended(state, began))
  }

  private mutating func put(_ state: ActiveState, _ action: QueuedAction?) {
    lastingSize += (action?.size ?? 0) - (stateEffectTriggers[state]?.size ?? 0)
    stateEffectTriggers[state] = action
  }

  /// Effects are off, or go on elsewhere: these are those that are under way.
  mutating func set(stateEffectTriggers now: [ActiveState: QueuedAction]) {
    stateEffectTriggers = now
    lastingSize = now.values.reduce(0) { $0 + $1.size }
  }

  // MARK: Openings

  mutating func note(scopeInstances now: [ScopeInstance]) {
    if now == scopeInstances { return }
    note(.scopeInstances(scopeInstances, now))
    scopeInstances = now
  }

  /// What was pending in openings of then, which are closed, belongs to those that stand open again.
  ///
  /// Timers of what is open no more are stopped, and so are those of openings of these scopes: another one
  /// does not stand for them.
  mutating func reopen(_ scopeInstances: [ScopeInstance], exceptOf scopes: Set<String>) {
    var renumbering = Renumbering()
    for then in scopeInstances where !self.scopeInstances.contains(then) {
      let again =
        scopes.contains(then.scope) ? nil : self.scopeInstances.first { $0.scope == then.scope }
      if let again {
        renumbering.instances[then.number] = again.number
      } else {
        _ = timers.remove(ownedBy: .instance(then.number))
      }
    }
    if renumbering.instances.isEmpty { return }
    for timer in timers.pending { timers.put(timer.renumbered(renumbering)) }
    set(stateEffectTriggers: stateEffectTriggers.mapValues { $0.renumbered(renumbering) })
  }

  // MARK: History of states

  mutating func remember(_ states: [String], for key: Remembered) {
    note(.historyValues(key, historyValues[key] ?? [], states))
    historyValues[key] = states
  }

  // MARK: Going back

  var savepoint: Savepoint { Savepoint(changes: changes.count, random: random) }

  /// Takes back all that has changed since.
  mutating func rollback(to savepoint: Savepoint) {
    random = savepoint.random
    while changes.count > savepoint.changes, let change = changes.popLast() {
      if keepsLog { _ = log.popLast() }
      redo(change.inverse)
    }
  }

  /// The changes since this was last asked, for the history; empty where there are none.
  mutating func takeChanges() -> [Change] {
    if random != toldRandom {
      changes.append(.random(toldRandom, random))
      toldRandom = random
    }
    if effectRandom != toldEffectRandom {
      changes.append(.effectRandom(toldEffectRandom, effectRandom))
      toldEffectRandom = effectRandom
    }
    if changes.isEmpty { return [] }
    defer { changes = [] }
    return changes
  }

  /// Has changes again that were taken, and that stand.
  mutating func giveBack(_ taken: [Change]) { changes = taken + changes }

  /// Takes changes back, the latest first.
  mutating func undo(_ changes: [Change]) { redo(changes.reversed().map(\.inverse)) }

  /// Makes changes again that were taken back.
  mutating func redo(_ changes: [Change]) {
    for change in changes { redo(change) }
    (toldRandom, toldEffectRandom) = (random, effectRandom)
  }

  private mutating func redo(_ change: Change) {
    switch change {
    case .taken(let passage): passages.put(passage)
    case .freed(let passage): passages.remove(passage)
    case .set(let timer): timers.put(timer)
    case .gone(let timer): timers.remove(timer.number)
    case .random(_, let new): random = new
    case .effectRandom(_, let new): effectRandom = new
    case .scopeInstances(_, let new): scopeInstances = new
    case .historyValues(let key, _, let new): historyValues[key] = new.isEmpty ? nil : new
    case .began(let state, let action): put(state, action)
    case .ended(let state, _): put(state, nil)
    case .refusedTimers(let state, _, let new): refusedTimers[state] = new.isEmpty ? nil : new
    }
  }

  /// Forgets changes that have taken each other back, so that time which passes without a transition
  /// keeps no more than what it has changed.
  ///
  /// Not within a transition, whose mark would point elsewhere.
  mutating func condense() {
    guard changes.count > 2 * (timers.count + passages.count) + 64 else { return }
    var setSince: Set<Int> = []
    for case .set(let timer) in changes { setSince.insert(timer.number) }
    var goneSince: Set<Int> = []
    for case .gone(let timer) in changes { goneSince.insert(timer.number) }
    let between = setSince.intersection(goneSince)
    var firstOpenings: [ScopeInstance]?
    changes.removeAll {
      switch $0 {
      case .set(let timer), .gone(let timer): return between.contains(timer.number)
      case .scopeInstances(let old, _):
        if firstOpenings == nil { firstOpenings = old }
        return true
      default: return false
      }
    }
    if let firstOpenings { changes.append(.scopeInstances(firstOpenings, scopeInstances)) }
  }

  // MARK: Another text of the flow

  /// Begins a history of its own: nothing before can be gone back to.
  mutating func forgetChanges() {
    changes = []
    (toldRandom, toldEffectRandom) = (random, effectRandom)
  }

  /// What is pending of actions is of others from now on.
  mutating func rename(actions: ActionNames) {
    if actions.isEmpty { return }
    for timer in timers.pending {
      guard let action = timer.action, actions[action.name] != action.name else { continue }
      timers.put(timer.owned(by: timer.owner, action.named(actions[action.name])))
    }
  }

  /// Stops such timers of actions, and gives them.
  @discardableResult
  mutating func stopTimers(where isGone: (PendingTimer) -> Bool) -> [PendingTimer] {
    let gone = timers.pending.filter { $0.action != nil && isGone($0) }
    for timer in gone { timers.remove(timer.number) }
    return gone
  }

  /// Frees the options of gatekeepers that another text does not have, and gives them.
  mutating func freePassages(where isGone: (GatekeeperOption) -> Bool) -> [GatekeeperOption] {
    let gone = passages.options.filter(isGone).sorted {
      ($0.gatekeeper, $0.option) < ($1.gatekeeper, $1.option)
    }
    for option in gone { _ = passages.reset(option) }
    return gone
  }
}
