/// What a scenario gives before anything has happened: a state, machines, gatekeepers.
extension Engine {
  /// Merges a part into the state without an action: machines too, whose timers start.
  ///
  /// Gives what is wrong; then nothing has changed.
  package func merge(_ part: Value) -> DispatchFailure? {
    var moved: [(machine: Int, state: Int)] = []
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    do throws(Rejection) {
      let committed = try transaction(for: "given") {
        moved = try machinesMoved(by: part)
        try vm.callWriter(FlowLanguage.function("merge_state", in: vm), [part], budget: budget)
      } delays: { () throws(ScriptError) in
        try workOutDelays(entering: moved)
      }
      for (machine, state) in moved {
        machines[machine] = state
        stopTimers(machine: machine)
      }
      if let delays = committed.delays { start(delays, Cause(revision: revision)) }
      refreshScopes(since: "given")
      ledger.forgetChanges()
      return nil
    } catch {
      return error.failure
    }
  }

  private func machinesMoved(by part: Value) throws(ScriptError)
    -> [(machine: Int, state: Int)]
  {
    var moved: [(machine: Int, state: Int)] = []
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
    guard let keeper = flow.keepers.first(where: { $0.name == name }) else {
      return "there is no gatekeeper \(name)"
        + Names.suggestion(for: name, among: flow.keepers.map(\.name))
    }
    let known = keeper.isYesNo ? ["held"] : keeper.options
    for option in options where !known.contains(option) {
      return "\(keeper.title) has no option \"\(option)\""
        + Names.suggestion(for: option, among: known)
    }
    do throws(Rejection) {
      _ = try transaction(for: "given") {
        for held in ledger.passages.options(of: name) {
          ledger.free(KeeperOption(keeper: name, option: held))
        }
        for option in options {
          _ = ledger.take(
            KeeperOption(keeper: name, option: keeper.isYesNo ? KeeperPolicy.passage : option),
            action: "given", revision: revision)
        }
        try vm.touch(keeper.title)
      }
      refreshScopes(since: "given")
      ledger.forgetChanges()
      return nil
    } catch {
      return error.failure.message
    }
  }
}
