import LuaRuntime
import StateBlocks

/// Scopes that the host opens and closes.
extension Engine {
  /// Opens a scope of the host's own, until it or its parent is closed.
  func open(_ name: String, with key: HostKey) throws(HostError) {
    guard let index = scopes.index(of: name), flow.scopes[index].isHosts else {
      throw HostError(
        description: "this host has not declared scope \(name)"
          + Names.suggestion(for: name, among: flow.scopes.filter(\.isHosts).map(\.name)))
    }
    guard scopes.current[index] == nil else {
      throw HostError(
        description: "scope \(name) is open already; close it before it is opened again")
    }
    guard let parent = flow.scopes[index].parent.flatMap(scopes.index(of:)),
      let opening = scopes.current[parent]
    else {
      throw HostError(
        description: "scope \(name) cannot be opened: it lies in "
          + "scope \(flow.scopes[index].parent ?? ScopeDeclaration.root), which is locked")
    }
    do {
      _ = try scopes.unlock(
        index, in: opening, key: .nil, isByHand: false, holder: nil, hostKey: key)
    } catch {
      throw HostError(description: "\(error)")
    }
    lastHostOpening += 1
    hostOpenings.removeAll { !isOpen(with: $0.key) }
    hostOpenings.append((name, lastHostOpening, key))
    transcript?.entries.append(.open(scope: name, opening: lastHostOpening))
    noteOpenings()
  }

  /// Whether the host holds the scope open with just that key.
  func isOpen(with key: HostKey) -> Bool { instance(openedWith: key) != nil }

  /// Closes what the host opened with that key, if it is still open.
  func close(openedWith key: HostKey) {
    guard let instance = instance(openedWith: key) else { return }
    if let opening = hostOpenings.first(where: { $0.key === key }) {
      transcript?.entries.append(.close(opening: opening.number))
    }
    close(instance, since: "the host closed it, #\(revision)")
    noteOpenings()
  }

  private func instance(openedWith key: HostKey) -> Int? {
    scopes.current.compactMap { $0 }.first { scopes[$0]?.hostKey === key }
  }

  /// Opens again what the host held open in an earlier text of the flow, as far as its parents are.
  func reopen(_ openings: [(scope: String, number: Int, key: HostKey)]) {
    for (scope, number, key) in openings {
      guard let index = scopes.index(of: scope), flow.scopes[index].isHosts,
        scopes.current[index] == nil,
        let parent = flow.scopes[index].parent.flatMap(scopes.index(of:)).flatMap({
          scopes.current[$0]
        }),
        (try? scopes.unlock(
          index, in: parent, key: .nil, isByHand: false, holder: nil, hostKey: key)) != nil
      else { continue }
      hostOpenings.append((scope, number, key))
      lastHostOpening = max(lastHostOpening, number)
    }
    noteOpenings()
  }
}

extension Flow {
  /// Adds the scopes that a host declares.
  mutating func declare(_ declarations: [HostScopeDeclaration]) throws(HostError) {
    for declaration in declarations { try declare(declaration) }
  }

  private mutating func declare(_ declaration: HostScopeDeclaration) throws(HostError) {
    let name = declaration.name
    func fault(_ sentence: String) -> HostError {
      HostError(description: "\(declaration.place): scope \(name) of the host: \(sentence)")
    }
    if let other = scopes.first(where: { $0.name == name }) {
      throw fault("there is a scope of that name (\(other.place))")
    }
    guard scopes.contains(where: { $0.name == declaration.parent }) else {
      throw fault(
        "there is no scope \(declaration.parent) to be its parent"
          + Names.suggestion(for: declaration.parent, among: scopes.map(\.name)))
    }
    for action in declaration.actions {
      guard let index = indexOfAction[action] else {
        throw fault(
          "\(file) declares no action \(action)"
            + Names.suggestion(for: action, among: indexOfAction.keys))
      }
      if let owner = scopes.first(where: { $0.actions.contains(action) }) {
        throw fault("action \(action) has an owner already: scope \(owner.name) (\(owner.place))")
      }
      actions[index].scope = scopes.count
    }
    scopes.append(ScopeDeclaration(declaration))
    keyReaders.append(nil)
  }
}
