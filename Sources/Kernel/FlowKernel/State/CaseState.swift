import FlowLanguage
import LuaRuntime

/// Everything in which two cases of one flow can differ, except the tree of the flow's state, which lives in the VM.
///
/// It identifies gatekeepers, machines, scopes, actions and effects by name, so that another version of the flow can
/// take it over. The configurations of machines are fields of the tree. Coroutines and objects of effects and scopes
/// belong to the engine.
///
/// The properties, and what happens to each:
///
/// | property                        | failed step | undo, go to | reload | restart    | exploring |
/// | ------------------------------- | ----------- | ----------- | ------ | ---------- | --------- |
/// | `revision`, `revisionTime`      | same        | back        | kept   | kept       | constant  |
/// | `passages`                      | back        | back        | kept   | kept       | compared  |
/// | `timers`                        | back        | back        | kept   | kept       | compared  |
/// | `scopeInstances`                | back        | back        | kept   | kept       | derived   |
/// | `historyValues`                 | back        | back        | kept   | kept       | compared  |
/// | `stateEffectTriggers`           | back        | back        | kept   | kept       | derived   |
/// | `refusedTimers`                 | back        | back        | kept   | kept       | dropped   |
/// | `random`                        | back        | back        | kept   | kept       | a choice  |
/// | `effectRandom`                  | same        | back        | kept   | kept       | a choice  |
/// | `clock`                         | same        | back        | kept   | kept       | relative  |
/// | `queue`                         | same        | dropped     | kept   | kept       | empty     |
/// | `effects`                       | same        | empty       | kept   | go on      | compared  |
/// | `upcomingEffects`               | same        | empty       | kept   | begin      | empty     |
/// | `draws`, `drawsTaken`           | back        | same        | kept   | kept       | empty     |
/// | `lastScopeInstance`, `lastEffect`, `lastCall` | same | same | kept   | kept       | same      |
/// | `changes`, `toldRandom`         | back        | dropped     | dropped | kept      | dropped   |
/// | `toldEffectRandom`              | same        | dropped     | dropped | kept      | dropped   |
///
/// An action that a state postpones is a timer that is never due.
///
/// `changes` has the changes since the latest commit, at which the generators were `toldRandom` and `toldEffectRandom`.
/// Undo reverts these changes too.
///
/// Numbers are never reused, so they never decrease. A reload that begins anew has a state of its own, which takes over
/// only the clock's birth and wall time and the number of the latest effect; a reload that replays reaches its state by
/// the recorded inputs. The queue also counts the actions that ran since the last input from outside: that budget
/// belongs to the process, and starts anew with a restart.
package struct CaseState: Sendable {
  /// The point at which a transaction began.
  struct Savepoint {
    fileprivate let changes: Int
    fileprivate let random: SeededRandom
    fileprivate let drawsTaken: Int
  }

  /// The number of commits up to the current state.
  package private(set) var revision = 0
  /// The time of the latest commit, to which going back to this revision sets the clock.
  private(set) var revisionTime = 0
  package private(set) var passages = HeldPassages()
  package private(set) var timers = Timers()
  /// The open scopes, root among them.
  package private(set) var scopeInstances = [
    ScopeInstance(scope: ScopeDeclaration.root, number: ScopeInstance.root)
  ]
  /// The paths of the states that were active inside a state when it was last left.
  package private(set) var historyValues: [Remembered: [String]] = [:]
  /// The effects of states under way, each with the action with which it began.
  package private(set) var stateEffectTriggers: [ActiveState: QueuedAction] = [:]
  /// The approximate size of these actions, in bytes.
  private(set) var lastingSize = 0
  /// The generator of reducers; if the host has a random source, its state is a position in that.
  package var random: SeededRandom
  /// The generator of effects, likewise.
  package var effectRandom: SeededRandom
  package var clock: CaseClock
  /// The timers of states whose actions were refused while the states stayed active, as sentences of messages.
  package private(set) var refusedTimers: [ActiveState: [String]] = [:]
  /// The actions and effects that wait for their turn.
  package var queue = ActionQueue()
  /// The effects under way, by number.
  ///
  /// An effect that an earlier process began has no coroutine until it resumes here.
  package var effects: [Int: EffectRecord] = [:]
  /// The effects of the latest commit that have not begun, in order, if there is a journal.
  package var upcomingEffects: [EffectRecord] = []
  /// The results that a scenario gives for random draws; `drawsTaken` is the number of those taken.
  private var draws: [Value] = []
  private var drawsTaken = 0
  /// The latest number of a scope instance; root's is 1.
  var lastScopeInstance = ScopeInstance.root
  /// The latest number of an effect, and of a call of a capability.
  private(set) var lastEffect = 0
  private(set) var lastCall = 0

  /// The changes that are not in the history yet.
  private var changes: [Change] = []
  /// The number of changes that the latest condensation left.
  private var condensed = 0
  /// True if changes are logged for a journal, too.
  package var keepsLog = false
  /// The changes since the log was last taken, without those of the generators and the clock.
  private var log: [Change] = []
  private var toldRandom: SeededRandom
  private var toldEffectRandom: SeededRandom

  package init(random: SeededRandom, effectRandom: SeededRandom, clock: CaseClock) {
    self.clock = clock
    (self.random, toldRandom) = (random, random)
    (self.effectRandom, toldEffectRandom) = (effectRandom, effectRandom)
  }

  /// Sets the revision and the time of its commit.
  package mutating func set(revision: Int, time: Int) {
    (self.revision, revisionTime) = (revision, time)
  }

  /// Sets the held passages, without a change that undo reverts.
  package mutating func set(passages now: HeldPassages) { passages = now }

  /// Sets decoded properties.
  mutating func set(
    passages: HeldPassages, _ timers: Timers, _ scopeInstances: [ScopeInstance],
    _ historyValues: [Remembered: [String]], _ refusedTimers: [ActiveState: [String]]
  ) {
    (self.passages, self.timers, self.scopeInstances) = (passages, timers, scopeInstances)
    (self.historyValues, self.refusedTimers) = (historyValues, refusedTimers)
  }

  private mutating func note(_ change: Change) {
    changes.append(change)
    if keepsLog { log.append(change) }
  }

  /// Returns the changes since the last call, without those of the generators and the clock.
  mutating func takeLog() -> [Change] {
    if log.isEmpty { return [] }
    defer { log = [] }
    return log
  }

  /// Drops queued actions and effects under way, when a log is replayed that has their results.
  package mutating func dropUnfinished() {
    queue.removeAll()
    (effects, upcomingEffects) = ([:], [])
  }

  // MARK: Numbers

  /// The latest numbers that were given; they never decrease, so that stale numbers stay stale.
  package struct Numbers: Hashable, Sendable {
    package var passages = 0
    package var timers = 0
    package var queued = 0
    package var scopeInstances = ScopeInstance.root
    package var effects = 0
    package var calls = 0
  }

  package var numbers: Numbers {
    Numbers(
      passages: passages.lastNumber, timers: timers.last, queued: queue.last,
      scopeInstances: lastScopeInstance, effects: lastEffect, calls: lastCall)
  }

  /// Raises the latest numbers to at least these.
  mutating func advance(to numbers: Numbers) {
    passages.goOn(from: numbers.passages)
    timers.goOn(from: numbers.timers)
    queue.advance(to: numbers.queued)
    lastScopeInstance = max(lastScopeInstance, numbers.scopeInstances)
    lastEffect = max(lastEffect, numbers.effects)
    lastCall = max(lastCall, numbers.calls)
  }

  package mutating func nextEffectNumber() -> Int {
    lastEffect += 1
    return lastEffect
  }

  mutating func nextCallNumber() -> Int {
    lastCall += 1
    return lastCall
  }

  // MARK: Given draws

  /// The results of the next random draws.
  var givenDraws: ArraySlice<Value> { draws[drawsTaken...] }

  /// Sets the results of the next random draws, in place of any given before.
  package mutating func give(draws now: [Value]) { (draws, drawsTaken) = (now, 0) }

  /// Removes the first given result.
  mutating func takeGivenDraw() { drawsTaken += 1 }

  /// The scope instances of the chains of causes that are under way.
  package var chains: Set<Int> {
    let effects = Array(effects.values) + upcomingEffects
    var causes = effects.map(\.cause) + stateEffectTriggers.values.map(\.cause)
    causes += timers.pending.compactMap { $0.action?.cause }
    causes += queue.actions.map(\.cause)
    return causes.reduce(into: Set(effects.compactMap(\.own?.number))) {
      $0.formUnion($1.scopeInstances.values)
    }
  }

  // MARK: Passages

  /// Takes an option, and returns the passage's number; nil if the option is held already.
  package mutating func take(_ option: GatekeeperOption, action: String, revision: Int) -> Int? {
    guard let taken = passages.attempt(option, by: action, at: revision, time: clock.now) else {
      return nil
    }
    note(.taken(taken))
    return passages.lastNumber
  }

  package mutating func free(_ option: GatekeeperOption) {
    if let freed = passages.reset(option) { note(.freed(freed)) }
  }

  // MARK: Timers

  /// Sets a timer, and returns its number.
  @discardableResult
  mutating func set(
    _ action: QueuedAction, due: Int, owner: PendingTimer.Owner, every: Int? = nil
  ) -> Int {
    let timer = timers.add(.action(action), due: due, owner: owner, every: every)
    note(.set(timer))
    return timer.number
  }

  /// Sets a timer that wakes an effect.
  ///
  /// It is not a change of the revision, since effects are not undone.
  ///
  /// - Parameter number: the number of the timer, if it had one in the process before; 0 for a new one.
  package mutating func wake(_ effect: Int, due: Int, timer number: Int = 0) {
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

  /// Stops the timers of an owner, and returns them in the order in which they were set.
  @discardableResult
  mutating func stopTimers(ownedBy owner: PendingTimer.Owner) -> [PendingTimer] {
    let stopped = timers.remove(ownedBy: owner)
    note(stopped)
    return stopped
  }

  /// Renames states, with their timers and effects under way.
  ///
  /// - Parameter action: returns the action of a timer under the new name.
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
        (.stateEffect(old), .stateEffect(new)), (.postponed(old), .postponed(new)),
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

  /// Stops the timers that effects have set for an action with a matching payload.
  ///
  /// Timers of states, and actions that a state postpones, stay until the state is left. Returns the number of stopped
  /// timers, and that of the timers that were compared.
  package mutating func cancel(
    _ action: String, containing part: Value
  ) -> (stopped: Int, visits: Int) {
    let (found, visits) = timers.timers(of: action, containing: part)
    let cancelled = found.filter {
      switch $0.owner {
      case .state, .postponed: false
      case .stateEffect, .instance, .effect, .nobody: true
      }
    }
    for timer in cancelled { timers.remove(timer.number) }
    note(cancelled)
    return (cancelled.count, visits)
  }

  /// Stops the timer with that number; returns false if it is not pending.
  package mutating func cancel(_ number: Int) -> Bool {
    guard let timer = timers.remove(number) else { return false }
    note([timer])
    return true
  }

  /// Stops the matching timers of an owner.
  mutating func cancelTimers(
    ownedBy owner: PendingTimer.Owner, where isGone: (PendingTimer) -> Bool
  ) {
    cancel(timers.timers(ownedBy: owner).filter(isGone))
  }

  /// Stops the matching timers.
  mutating func cancelTimers(where isGone: (PendingTimer) -> Bool) {
    cancel(timers.pending.filter(isGone))
  }

  private mutating func cancel(_ gone: [PendingTimer]) {
    for timer in gone { timers.remove(timer.number) }
    note(gone)
  }

  private mutating func note(_ gone: [PendingTimer]) {
    for timer in gone where timer.action != nil { note(.gone(timer)) }
  }

  /// Sets the timers of an active state that were refused; an empty list removes them.
  package mutating func set(refusedTimers sentences: [String], of state: ActiveState) {
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

  /// Ends the effect of a state; does nothing if another effect than that of the revision is under way.
  package mutating func end(_ state: ActiveState, since revision: Int? = nil) {
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

  /// Sets the effects of states under way, without a change that undo reverts.
  mutating func set(stateEffectTriggers now: [ActiveState: QueuedAction]) {
    stateEffectTriggers = now
    lastingSize = now.values.reduce(0) { $0 + $1.size }
  }

  // MARK: Scope instances

  package mutating func note(scopeInstances now: [ScopeInstance]) {
    if now == scopeInstances { return }
    note(.scopeInstances(scopeInstances, now))
    scopeInstances = now
  }

  /// Gives the timers of scope instances to the instances of the same scopes that are open now.
  ///
  /// Timers of scopes that are not open any more are stopped, as are those of `scopes`, whose new instances do not
  /// replace earlier ones.
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

  package mutating func remember(_ states: [String], for key: Remembered) {
    note(.historyValues(key, historyValues[key] ?? [], states))
    historyValues[key] = states
  }

  // MARK: Undo and redo

  var savepoint: Savepoint {
    Savepoint(changes: changes.count, random: random, drawsTaken: drawsTaken)
  }

  /// Undoes all changes since a savepoint.
  mutating func rollback(to savepoint: Savepoint) {
    random = savepoint.random
    drawsTaken = savepoint.drawsTaken
    while changes.count > savepoint.changes, let change = changes.popLast() {
      if keepsLog { _ = log.popLast() }
      redo(change.inverse)
    }
  }

  /// The changes since the latest commit, which undo reverts too.
  var pendingChanges: [Change] {
    var pending = changes
    if random != toldRandom { pending.append(.random(toldRandom, random)) }
    if effectRandom != toldEffectRandom {
      pending.append(.effectRandom(toldEffectRandom, effectRandom))
    }
    return pending
  }

  /// Sets the changes since the latest commit to stored ones.
  package mutating func set(pendingChanges pending: [Change]) {
    forgetChanges()
    for change in pending {
      switch change {
      case .random(let old, _): toldRandom = old
      case .effectRandom(let old, _): toldEffectRandom = old
      default: changes.append(change)
      }
    }
  }

  /// Removes and returns the changes since the last call, for the history.
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
    defer { (changes, condensed) = ([], 0) }
    return changes
  }

  /// Puts taken changes back, which stay made.
  package mutating func giveBack(_ taken: [Change]) { changes = taken + changes }

  /// Undoes changes, the latest first.
  package mutating func undo(_ changes: [Change]) { redo(changes.reversed().map(\.inverse)) }

  /// Redoes changes.
  package mutating func redo(_ changes: [Change]) {
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

  /// Removes changes that cancel each other, so that time without a commit stores only its net changes.
  ///
  /// It does nothing until there are twice as many changes as it left last time. It must not be called within a
  /// transaction, whose savepoint would become wrong.
  mutating func condense() {
    let least = max(timers.count + passages.count, condensed)
    guard changes.count > 2 * least + 64 else { return }
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
    condensed = changes.count
  }

  // MARK: Another version of the flow

  /// Discards the changes, so that the history begins here.
  mutating func forgetChanges() {
    (changes, condensed) = ([], 0)
    (toldRandom, toldEffectRandom) = (random, effectRandom)
  }

  /// Renames actions of pending timers.
  package mutating func rename(actions: ActionNames) {
    if actions.isEmpty { return }
    for timer in timers.pending {
      guard let action = timer.action, actions[action.name] != action.name else { continue }
      timers.put(timer.owned(by: timer.owner, action.named(actions[action.name])))
    }
  }

  /// Stops the matching timers of actions, and returns them.
  @discardableResult
  mutating func stopTimers(where isGone: (PendingTimer) -> Bool) -> [PendingTimer] {
    let gone = timers.pending.filter { $0.action != nil && isGone($0) }
    for timer in gone { timers.remove(timer.number) }
    return gone
  }

  /// Frees the options of gatekeepers that match, and returns them.
  mutating func freePassages(where isGone: (GatekeeperOption) -> Bool) -> [GatekeeperOption] {
    let gone = passages.options.filter(isGone).sorted {
      ($0.gatekeeper, $0.option) < ($1.gatekeeper, $1.option)
    }
    for option in gone { _ = passages.reset(option) }
    return gone
  }
}
