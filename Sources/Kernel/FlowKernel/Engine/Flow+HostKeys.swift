import FlowLanguage
import LuaRuntime

extension Flow {
  /// Adds the scopes that a host declares.
  package mutating func declare(_ declarations: [HostScopeDeclaration]) throws(HostError) {
    for declaration in declarations { try declare(declaration) }
  }

  private mutating func declare(_ declaration: HostScopeDeclaration) throws(HostError) {
    let name = declaration.name
    func fault(_ kind: HostError.Kind, _ sentence: String) -> HostError {
      HostError(kind, "\(declaration.place): scope \(name) of the host: \(sentence)")
    }
    if let other = scopes.first(where: { $0.name == name }) {
      throw fault(.declaredScope(name), "there is a scope of that name (\(other.place))")
    }
    guard scopes.contains(where: { $0.name == declaration.parent }) else {
      throw fault(
        .undeclaredScope(declaration.parent),
        "there is no scope \(declaration.parent) to be its parent"
          + Names.suggestion(for: declaration.parent, among: scopes.map(\.name)))
    }
    for action in declaration.actions {
      guard let index = indexOfAction[action] else {
        throw fault(
          .undeclaredAction(action),
          "\(file) declares no action \(action)"
            + Names.suggestion(for: action, among: indexOfAction.keys))
      }
      if let owner = scopes.first(where: { $0.actions.contains(action) }) {
        throw fault(
          .ownedAction(action),
          "action \(action) has an owner already: scope \(owner.name) (\(owner.place))")
      }
      actions[index].scope = scopes.count
    }
    scopes.append(ScopeDeclaration(declaration))
    keyReaders.append(nil)
  }
}
