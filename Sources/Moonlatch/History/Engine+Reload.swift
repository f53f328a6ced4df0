import LuaRuntime

/// What of a flow survives when its text changes.
struct Snapshot {
  let state: [UInt8]
  let machines: [String: String]
  let keepers: [String: [String: Keepers.Passage]]
  let random: SeededRandom
  let effectRandom: SeededRandom
  let revision: Int
  let time: Int
  let timers: [Timers.Timer]
  /// The effects under way, which end as their `on_error` says.
  let unfinished: [RunningEffects.Running]
}

extension Engine {
  func snapshot() throws(ScriptError) -> Snapshot {
    var held: [String: [String: Keepers.Passage]] = [:]
    for (index, keeper) in flow.keepers.enumerated() {
      for option in keepers.options(of: index) {
        held[keeper.name, default: [:]][option] =
          keepers[KeeperOption(keeper: index, option: option)]
      }
    }
    return Snapshot(
      state: try vm.stateBytes(),
      machines: Dictionary(
        uniqueKeysWithValues: flow.machines.enumerated().map {
          ($1.name, $1.states[machines[$0]].name)
        }),
      keepers: held, random: random, effectRandom: effectRandom, revision: revision, time: time,
      timers: timers.actions, unfinished: effects.all.compactMap { effects[$0] })
  }

  /// Takes the place of an engine with an earlier text of the flow.
  ///
  /// Throws where what was does not fit what is: then this engine is to be thrown away.
  func take(over snapshot: Snapshot) throws {
    for (name, state) in snapshot.machines.sorted(by: { $0.key < $1.key }) {
      guard let machine = flow.machines.first(where: { $0.name == name }) else {
        throw HistoryError(description: "machine \(name) is gone, which is in \(state)")
      }
      guard machine.index(of: state) != nil else {
        throw HistoryError(description: "machine \(name) is in \(state), a state that is gone")
      }
    }
    try restoreState(snapshot)
    for (index, machine) in flow.machines.enumerated() {
      if let state = snapshot.machines[machine.name].flatMap({ machine.index(of: $0) }) {
        machines[index] = state
      }
    }
    for (index, keeper) in flow.keepers.enumerated() {
      for (option, passage) in snapshot.keepers[keeper.name] ?? [:] {
        keepers.restore(passage, to: KeeperOption(keeper: index, option: option))
      }
    }
    random = snapshot.random
    effectRandom = snapshot.effectRandom
    revision = snapshot.revision
    time = snapshot.time
    timers = Timers()
    for timer in snapshot.timers where flow.action(named: timer.name) != nil {
      timers.add(timer.event, due: timer.due, owner: owner(of: timer), name: timer.name)
    }
    try refreshScopes(since: "the reload")
    history = History(limit: limits.history, beginning: moment(), at: revision, time: time)
    for running in snapshot.unfinished {
      guard let name = running.effect.onError, flow.action(named: name) != nil else { continue }
      ended(
        running.effect, running.cause,
        ScriptError(kind: .runtime, message: "\(running.effect.title) ended with the reload"))
    }
  }

  private func restoreState(_ snapshot: Snapshot) throws {
    vm.begin()
    do {
      try vm.apply(
        Patch.wholeState(snapshot.state).bytes, backwards: false,
        with: FlowLanguage.function("merge_changes", in: vm), budget: max(budget, 1_000_000_000))
      try vm.adopt()
      if let failure = brokenInvariant(action: "the reload") { throw failure }
      _ = try vm.commit()
    } catch {
      vm.rollback()
      throw error
    }
  }

  /// A timer of a state dies with it in the new flow too.
  private func owner(of timer: Timers.Timer) -> Timers.Owner {
    guard case .state(let machine, _) = timer.owner, entries.indices.contains(machine) else {
      return .nobody
    }
    return .state(machine: machine, entry: entries[machine])
  }
}
