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
}

/// A name that is not declared.
package struct UnknownName: Error, CustomStringConvertible {
  package let description: String
}
