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
  /// Names by number, since numbers may be others in the new flow.
  let machineNames: [String]
  let keeperNames: [String]
  let scopeNames: [String]
  /// For each scope the instance that the state held open.
  let openings: [Int?]
  /// The scopes that the host holds open.
  let hostKeys: [(scope: String, key: HostKey)]
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
      timers: timers.actions, machineNames: flow.machines.map(\.name),
      keeperNames: flow.keepers.map(\.name), scopeNames: flow.scopes.map(\.name),
      openings: scopes.current, hostKeys: hostKeys,
      unfinished: effects.all.compactMap { effects[$0] })
  }

  /// Takes the place of an engine with an earlier text of the flow.
  ///
  /// Throws where what was does not fit what is: then this engine is to be thrown away.
  func take(over snapshot: Snapshot) throws {
    for (name, state) in snapshot.machines.sorted(by: { $0.key < $1.key }) {
      guard let machine = flow.machines.first(where: { $0.name == name }) else {
        throw HistoryError("machine \(name) is gone, which is in \(state)")
      }
      guard machine.index(of: state) != nil else {
        throw HistoryError("machine \(name) is in \(state), a state that is gone")
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
    try refreshScopes(since: "the reload")
    reopen(snapshot.hostKeys)
    let carry = carry(from: snapshot)
    for timer in snapshot.timers where flow.action(named: timer.name) != nil {
      let timer = timer.carried(carry)
      timers.add(timer.event, due: timer.due, owner: timer.owner, name: timer.name)
    }
    history = History(limit: limits.history, beginning: moment(), at: revision, time: time)
    for running in snapshot.unfinished {
      guard let name = running.effect.onError, flow.action(named: name) != nil else { continue }
      ended(
        running.effect, running.cause.carried(carry),
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

  /// How the numbers of the earlier flow read in this one.
  ///
  /// A timer dies with its state or its scope in the new flow too.
  private func carry(from snapshot: Snapshot) -> Carry {
    let keeper = numbers(of: snapshot.keeperNames, in: flow.keepers.map(\.name))
    let scope = numbers(of: snapshot.scopeNames, in: flow.scopes.map(\.name))
    let machine = numbers(of: snapshot.machineNames, in: flow.machines.map(\.name))
    var instances: [Int: Int] = [:]
    for case (let number, let then?) in zip(scope, snapshot.openings) {
      // One that is not open any more stands for nothing that is.
      instances[then] = number.flatMap { scopes.current[$0] } ?? 0
    }
    return Carry(
      instances: instances, keeper: { keeper[$0] }, scope: { scope[$0] },
      owner: { [entries] owner in
        guard case .state(let old, _) = owner else { return nil }
        return machine[old].map { .state(machine: $0, entry: entries[$0]) } ?? .nobody
      })
  }

  private func numbers(of names: [String], in others: [String]) -> [Int?] {
    names.map { others.firstIndex(of: $0) }
  }
}
