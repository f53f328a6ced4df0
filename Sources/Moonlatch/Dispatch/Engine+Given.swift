import LuaRuntime

/// What a scenario gives before anything has happened: a state, machines, gatekeepers.
extension Engine {
  /// Merges a part into the state without an action: machines too, whose timers start.
  ///
  /// Gives what is wrong; then nothing has changed.
  package func merge(_ part: Value) -> DispatchFailure? {
    vm.begin()
    do {
      let moved = try machinesMoved(by: part)
      try vm.callWriter(
        FlowLanguage.function("merge_state", in: vm), [part], budget: budget)
      try vm.adopt()
      let delays = try workOutDelays(entering: moved)
      if let failure = brokenInvariant(action: "given") {
        vm.rollback()
        return failure
      }
      try workOutKeys()
      _ = try vm.commit()
      for (machine, state) in moved {
        machines[machine] = state
        stopTimers(machine: machine)
      }
      start(delays, Cause(revision: revision))
      try refreshScopes(since: "given")
      return nil
    } catch {
      vm.rollback()
      return scriptFailure(error, action: "given")
    }
  }

  private func machinesMoved(by part: Value) throws(ScriptError) -> [(Int, Int)] {
    var moved: [(Int, Int)] = []
    for (index, machine) in flow.machines.enumerated() {
      guard let wanted = part[machine.name] else { continue }
      guard let name = wanted.stringValue, let state = machine.index(of: name) else {
        throw ScriptError(
          kind: .runtime,
          message: "\(machine.title) has no state \(wanted.stringValue ?? wanted.description)"
            + Names.suggestion(
              for: wanted.stringValue ?? "", among: machine.states.map(\.name)))
      }
      moved.append((index, state))
    }
    return moved
  }

  /// Makes a gatekeeper hold just these options.
  ///
  /// Gives what is wrong; then nothing has changed.
  package func give(_ options: [String], toKeeper name: String) -> String? {
    guard let index = flow.keepers.firstIndex(where: { $0.name == name }) else {
      return "there is no gatekeeper \(name)"
        + Names.suggestion(for: name, among: flow.keepers.map(\.name))
    }
    let keeper = flow.keepers[index]
    let known = keeper.isYesNo ? ["held"] : keeper.options
    for option in options where !known.contains(option) {
      return "\(keeper.title) has no option \"\(option)\""
        + Names.suggestion(for: option, among: known)
    }
    let before = keepers
    for held in keepers.options(of: index) {
      keepers.free(KeeperOption(keeper: index, option: held))
    }
    for option in options {
      _ = keepers.take(
        KeeperOption(keeper: index, option: keeper.isYesNo ? KeeperPolicy.passage : option),
        action: "given", revision: revision, time: time)
    }
    do {
      try vm.touch(keeper.title)
      if let failure = brokenInvariant(action: "given") {
        keepers = before
        try vm.touch(keeper.title)
        return failure.message
      }
      try refreshScopes(since: "given")
      return nil
    } catch {
      return error.message
    }
  }
}
