import LuaRuntime
import StateBlocks

/// What belongs to a state that is explored besides its tree, in a form in which equal states are equal: nothing
/// in it tells when something happened, or how often.
package struct ExploredLedger: Hashable, Sendable {
  /// A part of it, which a run may look at and change without the others.
  package enum Part: Hashable, Sendable {
    /// An option of a gatekeeper that says which it has.
    case option(gatekeeper: String, option: String)
    /// All options of one that does not.
    case gatekeeper(String)
    case timers
    /// What time it is, where that is bounded.
    case time
    /// What history remembers of a machine.
    case memory(machine: String)
    /// The effects under way.
    case effects
  }

  /// What stands in a part; there is none where it would be empty.
  package enum Content: Hashable, Sendable {
    /// The action that has taken the option.
    case held(by: String)
    case options([String: String])
    case timers([ExploredTimer])
    /// In microseconds since the beginning.
    case time(Int)
    case memory([ExploredMemory])
    case effects([ExploredEffect])
  }

  package var parts: [Part: Content] = [:]

  package init() {}

  package subscript(part: Part) -> Content? {
    get { parts[part] }
    set { parts[part] = newValue }
  }

  /// The parts in which it differs from another one, in an order that is the same for the same parts.
  package func parts(otherThanIn other: ExploredLedger) -> [Part] {
    if self == other { return [] }
    return Set(parts.keys).union(other.parts.keys).filter { self[$0] != other[$0] }.sorted()
  }

  /// The pending timers, in order.
  package var timers: [ExploredTimer] {
    if case .timers(let timers)? = parts[.timers] { timers } else { [] }
  }

  /// How many microseconds have passed, where that is part of a state.
  package var time: Int { if case .time(let time)? = parts[.time] { time } else { 0 } }

  /// How long time passes up to the next stop; nil where there is none.
  package func delay(by clock: ExploredClock) -> Int? {
    clock.delay(at: time, due: timers.first?.after)
  }

  /// The effects under way, the oldest first.
  package var effects: [ExploredEffect] {
    if case .effects(let effects)? = parts[.effects] { effects } else { [] }
  }
}

extension ExploredLedger.Part: Comparable {
  package static func < (one: Self, other: Self) -> Bool { one.order < other.order }

  private var order: (Int, String, String) {
    switch self {
    case .option(let gatekeeper, let option): (0, gatekeeper, option)
    case .gatekeeper(let gatekeeper): (1, gatekeeper, "")
    case .timers: (2, "", "")
    case .time: (3, "", "")
    case .memory(let machine): (4, machine, "")
    case .effects: (5, "", "")
    }
  }
}

/// Of what a chain of causes has taken and was at work in, whether that lasts still.
package struct ExploredChain: Hashable, Sendable {
  package var passages: [GatekeeperOption: Bool] = [:]
  package var scopeInstances: [String: Bool] = [:]
}

/// An action that is to come.
package struct ExploredAction: Hashable, Sendable {
  package let name: String
  package let payload: Value
  /// The timed way that is taken in place of an action.
  package let transition: Int?
  package let chain: ExploredChain
}

/// A timer, by how long it has still to run.
package struct ExploredTimer: Hashable, Sendable {
  package enum Owner: Hashable, Sendable {
    case state(ActiveState)
    case stateEffect(ActiveState)
    case scope(String)
    case nobody
  }

  /// In microseconds from now on.
  package let after: Int
  package let every: Int?
  package let owner: Owner
  package let action: ExploredAction
}

/// What history remembers of one state.
package struct ExploredMemory: Hashable, Sendable {
  let state: CaseState.Remembered
  let paths: [String]

  static func inOrder(_ memories: [ExploredMemory]) -> [ExploredMemory] {
    memories.sorted { "\($0.state)" < "\($1.state)" }
  }
}

/// An effect that waits for something outside of the flow.
package struct ExploredEffect: Hashable, Sendable {
  /// By what a scenario holds it.
  package let name: String
  /// What messages call it, and which one of those of that name.
  package let title: String
  package let ordinal: Int
  /// The state while which it lasts, if it is that of a state.
  package let state: ActiveState?
  /// The scope in whose opening it waits; nil for root.
  package let scope: String?
  /// The action that it follows on, with its payload.
  package let action: String
  package let payload: Value
  package fileprivate(set) var chain: ExploredChain

  init(
    name: String, title: String, ordinal: Int, state: ActiveState?, scope: String?, action: String,
    payload: Value, chain: ExploredChain
  ) {
    (self.name, self.title, self.ordinal, self.state) = (name, title, ordinal, state)
    (self.scope, self.action, self.payload, self.chain) = (scope, action, payload, chain)
  }

  /// The same effects in an order that is the same for the same effects.
  ///
  /// The order in which they began shows where their scope closes around them, and nowhere else: there it is kept.
  static func inOrder(_ all: [ExploredEffect]) -> [ExploredEffect] {
    if all.count < 2 { return all }
    let keyed = all.enumerated().map { offset, effect in
      var writer = ValueWriter()
      if let scope = effect.scope { writer.writeText(scope) } else { writer.write(effect) }
      return (effect, isScoped: effect.scope != nil, key: writer.bytes, offset: offset)
    }
    return keyed.sorted {
      if $0.isScoped != $1.isScoped { return $1.isScoped }
      if $0.key != $1.key { return $0.key.lexicographicallyPrecedes($1.key) }
      return $0.offset < $1.offset
    }.map(\.0)
  }
}

// MARK: From an engine, and back

extension Engine {
  /// What belongs to the state now besides its tree.
  func exploredLedger() -> ExploredLedger {
    var explored = ExploredLedger()
    for gatekeeper in flow.gatekeepers {
      let held = caseState.passages.options(of: gatekeeper.name)
      if held.isEmpty { continue }
      func holder(_ option: String) -> String {
        caseState.passages[GatekeeperOption(gatekeeper: gatekeeper.name, option: option)].holder?
          .name
          ?? ""
      }
      guard gatekeeper.hasKnownOptions else {
        explored[.gatekeeper(gatekeeper.name)] = .options(
          Dictionary(uniqueKeysWithValues: held.map { ($0, holder($0)) }))
        continue
      }
      for option in held {
        explored[.option(gatekeeper: gatekeeper.name, option: option)] = .held(by: holder(option))
      }
    }
    let timers = caseState.timers.pending.compactMap { self.explored($0) }
    if !timers.isEmpty { explored[.timers] = .timers(timers) }
    if exploredClock.upTo != nil, time > 0 { explored[.time] = .time(time) }
    for (machine, historyValues) in Dictionary(
      grouping: caseState.historyValues.filter { !$0.value.isEmpty }, by: \.key.machine)
    {
      explored[.memory(machine: machine)] = .memory(
        ExploredMemory.inOrder(
          historyValues.map { ExploredMemory(state: $0.key, paths: $0.value) }))
    }
    let effects = exploredEffects()
    if !effects.isEmpty { explored[.effects] = .effects(effects) }
    return explored
  }

  private func explored(_ timer: PendingTimer) -> ExploredTimer? {
    guard let action = timer.action else { return nil }
    let owner: ExploredTimer.Owner =
      switch timer.owner {
      case .state(let state): .state(state)
      case .stateEffect(let state): .stateEffect(state)
      case .instance(let number): scopes[number].map { .scope($0.name) } ?? .nobody
      case .effect, .nobody: .nobody
      }
    return ExploredTimer(
      after: timer.due - time, every: timer.every, owner: owner, action: explored(action))
  }

  private func explored(_ action: QueuedAction) -> ExploredAction {
    ExploredAction(
      name: action.name, payload: action.payload, transition: action.transition,
      chain: explored(action.cause))
  }

  private func explored(_ cause: Cause) -> ExploredChain {
    var chain = ExploredChain()
    for (option, number) in cause.passages {
      chain.passages[option] =
        caseState.passages.firstStale(of: [option], for: [option: number]) == nil
    }
    for (scope, opening) in cause.scopeInstances {
      chain.scopeInstances[scope] = scopes.isHeld(opening)
    }
    return chain
  }

  /// Those that were under way and are still, and those that wait since.
  private func exploredEffects() -> [ExploredEffect] {
    let before = (instrumentation?.effects ?? []).filter { waiting in
      guard let state = waiting.effect.state else { return true }
      return caseState.stateEffectTriggers[state]?.cause.revision == RunInstrumentation.revision
        && self.effects.number(of: state) == nil
    }.map { waiting in
      var effect = waiting.effect
      effect.chain = explored(waiting.cause)
      return effect
    }
    let since = effects.all.compactMap { running -> ExploredEffect? in
      if running.state == nil, instrumentation?.silent.contains(running.effect.title) == true {
        return nil
      }
      return ExploredEffect(
        name: Engine.heldName(of: running.effect), title: running.effect.title,
        ordinal: flow.ordinal(of: running.effect), state: running.state,
        scope: scopes.keyedScope(of: running.instance), action: running.commit.action,
        payload: running.commit.payload, chain: explored(running.cause))
    }
    return ExploredEffect.inOrder(before + since)
  }

  /// Makes a ledger of what is explored, for a tree that is there already.
  func take(_ explored: ExploredLedger) {
    for timer in explored.timers {
      caseState.set(
        queued(timer.action), due: EngineTime.later(time, by: timer.after),
        owner: owner(timer.owner), every: timer.every)
    }
    for case .memory(let memories) in explored.parts.values {
      for memory in memories { caseState.remember(memory.paths, for: memory.state) }
    }
    instrumentation?.effects = explored.effects.map { effect in
      RunInstrumentation.Waiting(
        effect: effect, cause: cause(effect.chain),
        instance: effect.scope.flatMap { scopes.index(of: $0) }.flatMap { scopes.current[$0] }
          ?? ScopeTree.rootNumber)
    }
    for effect in explored.effects {
      guard let state = effect.state else { continue }
      caseState.begin(
        state,
        QueuedAction(name: effect.action, payload: effect.payload, cause: cause(effect.chain)))
    }
  }

  /// The passages that a state holds which is explored.
  func passages(of explored: ExploredLedger) -> HeldPassages {
    var all: [(option: GatekeeperOption, holder: String)] = []
    for (part, content) in explored.parts {
      switch (part, content) {
      case (.option(let gatekeeper, let option), .held(let holder)):
        all.append((GatekeeperOption(gatekeeper: gatekeeper, option: option), holder))
      case (.gatekeeper(let gatekeeper), .options(let options)):
        all += options.map { (GatekeeperOption(gatekeeper: gatekeeper, option: $0.key), $0.value) }
      default: continue
      }
    }
    var passages = HeldPassages()
    // The numbers before stand for what is stale.
    passages.goOn(from: 1)
    for (option, holder) in all.sorted(by: {
      ($0.option.gatekeeper, $0.option.option) < ($1.option.gatekeeper, $1.option.option)
    }) {
      _ = passages.attempt(option, by: holder, at: RunInstrumentation.revision, time: 0)
    }
    return passages
  }

  func queued(_ action: ExploredAction) -> QueuedAction {
    QueuedAction(
      name: action.name, payload: action.payload, cause: cause(action.chain),
      transition: action.transition)
  }

  func cause(_ chain: ExploredChain) -> Cause {
    var cause = Cause(revision: RunInstrumentation.revision)
    for (option, isCurrent) in chain.passages {
      let number = isCurrent ? caseState.passages.number(of: option) : nil
      cause.passages[option] = number ?? 1
    }
    for (scope, isCurrent) in chain.scopeInstances {
      let opening = isCurrent ? scopes.index(of: scope).flatMap { scopes.current[$0] } : nil
      cause.scopeInstances[scope] = opening ?? -1
    }
    return cause
  }

  private func owner(_ owner: ExploredTimer.Owner) -> PendingTimer.Owner {
    switch owner {
    case .state(let state): .state(state)
    case .stateEffect(let state): .stateEffect(state)
    case .scope(let name):
      scopes.index(of: name).flatMap { scopes.current[$0] }.map { .instance($0) } ?? .nobody
    case .nobody: .nobody
    }
  }
}

extension GatekeeperPolicy {
  /// Whether it says which options there are.
  var hasKnownOptions: Bool { isYesNo || isClosed }
}
