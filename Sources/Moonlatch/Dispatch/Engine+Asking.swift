/// What tools ask of a flow at work: scenarios, the prompt, reports.
extension Engine {
  /// The names of the scopes, root included.
  package var scopeNames: [String] { flow.scopes.map(\.name) }

  /// Whether the state holds the scope open.
  package func isOpen(scope name: String) throws(UnknownName) -> Bool {
    guard let index = scopes.index(of: name) else {
      throw UnknownName(
        description: "there is no scope \(name)" + Names.suggestion(for: name, among: scopeNames))
    }
    return scopes.isOpen(index)
  }

  /// A machine's state now, and all that it has.
  package func machine(named name: String) -> (current: String, states: [String])? {
    guard let index = flow.machines.firstIndex(where: { $0.name == name }) else { return nil }
    let machine = flow.machines[index]
    return (machine.states[machines[index]].name, machine.states.map(\.name))
  }

  /// Makes a gatekeeper hold just these options, before anything has happened.
  ///
  /// Gives what is wrong.
  package func give(_ options: [String], toKeeper name: String) -> String? {
    guard let index = flow.keepers.firstIndex(where: { $0.name == name }) else {
      return "there is no gatekeeper \(name)"
        + Names.suggestion(for: name, among: flow.keepers.map(\.name))
    }
    let keeper = flow.keepers[index]
    let known = keeper.isYesNo ? ["held"] : keeper.options
    for option in options where !known.contains(option) {
      return "gatekeeper \(name) has no option \"\(option)\""
        + Names.suggestion(for: option, among: known)
    }
    for held in keepers.options(of: index) {
      keepers.free(KeeperOption(keeper: index, option: held))
    }
    for option in options {
      _ = keepers.take(
        KeeperOption(keeper: index, option: keeper.isYesNo ? KeeperPolicy.passage : option),
        action: "given", revision: revision, time: time)
    }
    try? vm.touch("gatekeeper \(name)")
    return nil
  }
}

/// A name that is not declared.
package struct UnknownName: Error, CustomStringConvertible {
  package let description: String
}
