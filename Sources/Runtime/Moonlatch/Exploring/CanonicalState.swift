import LuaRuntime
import StateBlocks

/// The canonical form of a case's state, as explorations compare it: equal cases have equal forms, whatever happened
/// before.
///
/// It has the properties that the table of `CaseState` calls compared, in parts which a run may read and write
/// without the others. Times are relative to now. Numbers only tell what is current: an instance of a scope has the
/// scope's position in the flow, counted from 1 for root, a passage has 1, and what is stale has 0. Each cause is of
/// revision 1.
package struct CanonicalState: Hashable, Sendable {
  /// A part of it, which a run may look at and change without the others.
  package enum Part: Hashable, Sendable {
    /// An option of a gatekeeper that says which it has.
    case option(gatekeeper: String, option: String)
    /// All options of one that does not.
    case gatekeeper(String)
    case timers
    /// The time since the beginning, where it is bounded.
    case time
    case historyValues(machine: String)
    /// The effects under way.
    case effects
  }

  /// The content of a part; there is none where it would be empty.
  package enum Content: Hashable, Sendable {
    /// The action that has taken the option.
    case held(by: String)
    case options([String: String])
    /// In the order in which they are due.
    case timers([PendingTimer])
    /// In microseconds since the beginning.
    case time(Int)
    case historyValues([CaseState.Remembered: [String]])
    case effects([ExploredEffect])
  }

  /// The revision of each state that is explored.
  static let revision = 1

  package var parts: [Part: Content] = [:]

  package init() {}

  package subscript(part: Part) -> Content? {
    get { parts[part] }
    set { parts[part] = newValue }
  }

  /// The parts in which it differs from another one, in order.
  package func parts(otherThanIn other: CanonicalState) -> [Part] {
    if self == other { return [] }
    return Set(parts.keys).union(other.parts.keys).filter { self[$0] != other[$0] }.sorted()
  }

  /// The pending timers, in order.
  package var timers: [PendingTimer] {
    if case .timers(let timers)? = parts[.timers] { timers } else { [] }
  }

  /// The microseconds that have passed, where that is part of a state.
  package var time: Int { if case .time(let time)? = parts[.time] { time } else { 0 } }

  /// How long time passes up to the next stop; nil where there is none.
  package func delay(by clock: ExploredClock) -> Int? {
    clock.delay(at: time, due: timers.first?.due)
  }

  /// The effects under way, in order.
  package var effects: [ExploredEffect] {
    if case .effects(let effects)? = parts[.effects] { effects } else { [] }
  }
}

extension CanonicalState.Part: Comparable {
  package static func < (one: Self, other: Self) -> Bool { one.order < other.order }

  private var order: (Int, String, String) {
    switch self {
    case .option(let gatekeeper, let option): (0, gatekeeper, option)
    case .gatekeeper(let gatekeeper): (1, gatekeeper, "")
    case .timers: (2, "", "")
    case .time: (3, "", "")
    case .historyValues(let machine): (4, machine, "")
    case .effects: (5, "", "")
    }
  }
}

// MARK: From a case's state

extension CaseState {
  /// Returns its canonical form.
  ///
  /// - Parameters:
  ///   - effects: the effects under way, the oldest first.
  ///   - isTimeBounded: true if the time since the beginning is part of a state.
  func canonical(
    of flow: Flow, effects: [EffectRecord], isTimeBounded: Bool
  ) -> CanonicalState {
    var canonical = CanonicalState()
    for gatekeeper in flow.gatekeepers {
      let held = passages.options(of: gatekeeper.name)
      if held.isEmpty { continue }
      func holder(_ option: String) -> String {
        passages[GatekeeperOption(gatekeeper: gatekeeper.name, option: option)].holder?.name ?? ""
      }
      guard gatekeeper.hasKnownOptions else {
        canonical[.gatekeeper(gatekeeper.name)] = .options(
          Dictionary(uniqueKeysWithValues: held.map { ($0, holder($0)) }))
        continue
      }
      for option in held {
        canonical[.option(gatekeeper: gatekeeper.name, option: option)] = .held(by: holder(option))
      }
    }
    if isTimeBounded, clock.now > 0 { canonical[.time] = .time(clock.now) }
    let historyValues = historyValues.filter { !$0.value.isEmpty }
    for (machine, values) in Dictionary(grouping: historyValues, by: \.key.machine) {
      canonical[.historyValues(machine: machine)] = .historyValues(
        Dictionary(uniqueKeysWithValues: values))
    }
    if timers.isEmpty, effects.isEmpty { return canonical }
    let numbering = CanonicalNumbering(of: self, in: flow)
    let timers = timers.pending.filter { $0.action != nil }.map {
      numbering($0, due: $0.due - clock.now)
    }
    if !timers.isEmpty { canonical[.timers] = .timers(timers) }
    if !effects.isEmpty {
      canonical[.effects] = .effects(
        ExploredEffect.inOrder(effects.map { numbering($0, in: flow) }))
    }
    return canonical
  }

  /// Returns the state of a canonical form, but for timers and effects: their causes need the scopes, which follow
  /// from the tree.
  ///
  /// Numbers go on from those of this state.
  func replaced(by canonical: CanonicalState) -> CaseState {
    var state = CaseState(random: random, effectRandom: effectRandom, clock: clock)
    state.advance(to: numbers)
    state.set(revision: CanonicalState.revision, time: canonical.time)
    state.clock.pass(to: canonical.time)
    for (part, content) in canonical.parts.sorted(by: { $0.key < $1.key }) {
      switch (part, content) {
      case (.option(let gatekeeper, let option), .held(let holder)):
        state.hold(GatekeeperOption(gatekeeper: gatekeeper, option: option), by: holder)
      case (.gatekeeper(let gatekeeper), .options(let options)):
        for (option, holder) in options.sorted(by: { $0.key < $1.key }) {
          state.hold(GatekeeperOption(gatekeeper: gatekeeper, option: option), by: holder)
        }
      case (.historyValues, .historyValues(let values)):
        for (key, paths) in values { state.remember(paths, for: key) }
      default: continue
      }
    }
    return state
  }

  private mutating func hold(_ option: GatekeeperOption, by action: String) {
    _ = take(option, action: action, revision: CanonicalState.revision)
  }

  /// Adds the timers and effects of a canonical form.
  ///
  /// - Parameter commit: makes the commit that an effect follows on.
  mutating func addTimersAndEffects(
    of canonical: CanonicalState, in flow: Flow, commit: (QueuedAction) -> Commit
  ) {
    if canonical.timers.isEmpty, canonical.effects.isEmpty { return }
    let numbering = CanonicalNumbering(of: self, in: flow)
    for timer in canonical.timers {
      guard let action = timer.action else { continue }
      set(
        numbering.inverse(action), due: EngineTime.later(clock.now, by: timer.due),
        owner: numbering.inverse(timer.owner), every: timer.every)
    }
    for effect in canonical.effects {
      let began = numbering.inverse(effect.began)
      if let state = effect.state { begin(state, began) }
      let number = nextEffectNumber()
      effects[number] = EffectRecord(
        number: number, title: effect.title, ordinal: effect.ordinal, state: effect.state,
        cause: began.cause, instance: numbering.inverse(instance: effect.instance),
        commit: commit(began))
    }
  }
}

extension GatekeeperPolicy {
  /// True if it says which options there are.
  var hasKnownOptions: Bool { isYesNo || isClosed }
}
