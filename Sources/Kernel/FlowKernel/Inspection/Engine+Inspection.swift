import FlowLanguage
import LuaRuntime
import StateCharts

/// Returns the parts of a running flow that a prompt shows, each as plain values.
extension Engine {
  /// A machine and its configuration.
  package struct MachineStatus: Sendable {
    package let name: String
    package let current: String
    package let states: [String]
    /// The transitions listed in the current state: the action, and the paths of their targets.
    package let transitions: [(action: String, targets: [String])]
    package let isFinal: Bool
    /// The tree of active states of a machine with nested states; empty for a flat machine.
    package let tree: [TreeLine]
  }

  package var machineStatus: [MachineStatus] {
    flow.machines.indices.compactMap { number in
      let loaded = loadedMachines.first { $0.index == number }
      return loaded.map(status) ?? recordsStatus(of: flow.machines[number])
    }
  }

  private func status(of machine: LoadedMachine) -> MachineStatus {
    let leafNumbers = derived.configuration[machine.regions]
    let active = leafNumbers.filter { $0 >= 0 }
    var transitions: [String: [String]] = [:]
    for (number, name) in machine.chart.actionNames.enumerated().dropFirst(2) {
      let offered = active.flatMap { machine.chart.candidates(Int32(number), at: $0) }
      for transition in offered {
        let targets = machine.chart.targets(of: transition).map {
          machine.chart.chart.states[Int($0)].path
        }
        transitions[name, default: []] += targets
      }
    }
    let state = active.last.map { machine.chart.nodes[Int(machine.chart.leafStates[Int($0)])] }
    return MachineStatus(
      name: machine.name, current: machine.whereabouts(leafNumbers),
      states: machine.chart.leafStates.indices.map {
        machine.chart.value(of: ChartInterpreter.LeafNumber($0))
      }.sorted(), transitions: transitions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      isFinal: active.count == 1 && state?.kind == .final,
      tree: flow.machines[machine.index].isFlat ? [] : tree(of: machine, at: Array(leafNumbers)))
  }

  /// A gatekeeper and the passages that it holds.
  package struct GatekeeperStatus: Sendable {
    package let name: String
    package let options: [String]
    package let held: [HeldPassage]
  }

  package var gatekeeperStatus: [GatekeeperStatus] {
    flow.gatekeepers.map { gatekeeper in
      let held = caseState.passages.options(of: gatekeeper.name).compactMap { name in
        let option = GatekeeperOption(gatekeeper: gatekeeper.name, option: name)
        return caseState.passages[option].holder.map {
          HeldPassage(
            gatekeeper: gatekeeper.name, option: gatekeeper.isYesNo ? nil : name, action: $0.name,
            revision: $0.since, microseconds: caseState.passages.time(of: option))
        }
      }
      return GatekeeperStatus(
        name: gatekeeper.name, options: gatekeeper.isYesNo ? [] : gatekeeper.options, held: held)
    }
  }

  /// A scope, open or locked.
  package struct ScopeStatus: Sendable {
    package let name: String
    package let parent: String?
    package let isOpen: Bool
    /// The key that holds it open.
    package let key: Value?
    /// The scope whose key is missing.
    package let wanting: String?
    package let actions: [String]
    package let place: SourcePlace
  }

  package var scopeStatus: [ScopeStatus] {
    flow.scopes.enumerated().map { index, scope in
      let isOpen = scopes.isOpen(index)
      let key = scopes.current[index].flatMap { scopes[$0]?.key }
      return ScopeStatus(
        name: scope.name, parent: scope.parent, isOpen: isOpen,
        key: key.flatMap { $0.isNil ? nil : $0 }, wanting: isOpen ? nil : scopes.wanting(index),
        actions: scope.actions, place: scope.place)
    }
  }

  /// The time at which the next timer is due, in microseconds since the beginning.
  package var nextDue: Int? { caseState.timers.nextDue }
  /// The clock, in seconds since the beginning.
  package var seconds: Double { EngineTime.seconds(time) }

  /// The titles of the effects that an action starts, in the order of declaration.
  package func effectTitles(of action: String) -> [String] {
    (flow.action(named: action)?.effects ?? []).map { flow.effects[$0].title }
  }

  // MARK: Views

  /// Starts to evaluate views after every commit that changed something they read.
  ///
  /// Returns their current values, without those that have none.
  package func followViews() -> [String: Value] {
    forgetTouchedViews()
    var values: [String: Value] = [:]
    for view in flow.views {
      let current = try? watchedValue(of: view, others: observers.subscriptions.size).get()
      _ = observers.subscriptions.add(view, current: current) { _ in }
      values[view.function.name] = current?.value
    }
    return values
  }

  /// Stops following views.
  package func unfollowViews() { observers.subscriptions = Subscriptions() }

  /// Returns the new values of the followed views since the last call.
  package func takeViewChanges() -> [(view: String, value: Result<Value, ViewError>)] {
    observers.subscriptions.takePending().compactMap { delivery in
      guard case .value(let value, let number, _) = delivery,
        flow.views.indices.contains(number - 1)
      else { return nil }
      return (flow.views[number - 1].function.name, value)
    }
  }
}

// MARK: History and replacement

extension Engine {
  /// Returns the commit of a revision, even if it was undone and can be redone.
  package func commit(at revision: Int) -> Commit? { history[revision] }

  /// Returns the state at a revision that the history holds, without going there.
  package func state(at target: Int) throws -> Value {
    try expectReachable(target)
    var value = try state()
    var at = revision
    while at > target, let writes = commit(at: at)?.writes {
      value.revert(writes.changes)
      at -= 1
    }
    while at < target, let writes = commit(at: at + 1)?.writes {
      value.apply(writes.changes)
      at += 1
    }
    return value
  }

  /// Stops every effect that waits, and drops queued and scheduled actions; reports each with the reason, if any.
  package func end(because reason: String?) { stopEverything(because: reason) }
}
