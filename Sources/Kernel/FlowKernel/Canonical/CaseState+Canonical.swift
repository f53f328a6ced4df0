import FlowLanguage
import StateBlocks

extension CaseState {
  /// Returns the canonical form of the state.
  ///
  /// - Parameters:
  ///   - effects: the effects under way, the oldest first.
  ///   - isTimeBounded: true if the time since the beginning is part of a state.
  ///   - table: the timers that have parts of their own.
  func canonical(
    of flow: Flow, effects: [EffectRecord], isTimeBounded: Bool,
    timers table: StateTimerTable = StateTimerTable()
  ) -> CanonicalState {
    var canonical = CanonicalState()
    for gatekeeper in flow.gatekeepers where passages.count > 0 {
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
    if !historyValues.isEmpty {
      let historyValues = historyValues.filter { !$0.value.isEmpty }
      for (machine, values) in Dictionary(grouping: historyValues, by: \.key.machine) {
        canonical[.historyValues(machine: machine)] = .historyValues(
          Dictionary(uniqueKeysWithValues: values))
      }
    }
    if timers.isEmpty, effects.isEmpty { return canonical }
    let numbering = CanonicalNumbering(of: self, in: flow)
    canonical.set(
      timers: timers.pending.filter { $0.action != nil }.map {
        numbering($0, due: $0.remaining(at: clock.now))
      }, table)
    if !effects.isEmpty {
      canonical[.effects] = .effects(
        ExploredEffect.inOrder(effects.map { numbering($0, in: flow) }))
    }
    return canonical
  }

  /// Returns the state of a canonical form, without timers and effects.
  ///
  /// Their causes need the scopes, which follow from the tree. Numbers continue from those of this state.
  package func replaced(by canonical: CanonicalState) -> CaseState {
    var state = CaseState(random: random, effectRandom: effectRandom, clock: clock)
    state.advance(to: numbers)
    state.set(revision: CanonicalState.revision, time: canonical.time)
    state.clock.pass(to: canonical.time)
    for (part, content) in canonical.partsBesidesTimers {
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
  /// - Parameter commit: creates the commit that an effect follows.
  mutating func addTimersAndEffects(
    of canonical: CanonicalState, in flow: Flow, commit: (QueuedAction) -> Commit
  ) {
    let timers = canonical.timers
    if timers.isEmpty, canonical.effects.isEmpty { return }
    let numbering = CanonicalNumbering(of: self, in: flow)
    for timer in timers {
      guard let action = timer.action else { continue }
      set(
        numbering.inverse(action),
        due: timer.due == EngineTime.never ? timer.due : EngineTime.later(clock.now, by: timer.due),
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
