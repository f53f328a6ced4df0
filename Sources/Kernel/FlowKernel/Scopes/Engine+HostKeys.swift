import FlowLanguage
import LuaRuntime

/// Opens and closes the scopes of the host.
extension Engine {
  /// Opens a scope of the host; throws if it is undeclared, open with an equal key, or cannot be opened.
  package func open(_ name: String, with key: HostKey) throws(HostError) {
    guard let index = scopes.index(of: name), flow.scopes[index].isHosts else {
      throw HostError(
        .undeclaredScope(name),
        "this host has not declared scope \(name)"
          + Names.suggestion(for: name, among: flow.scopes.filter(\.isHosts).map(\.name)))
    }
    guard !scopes.scopeInstances(of: index).contains(where: { $0.hostKey?.equals(key) == true })
    else {
      throw HostError(
        .openScope(name), "scope \(name) is open already; close it before it is opened again")
    }
    guard let parent = flow.scopes[index].parent.flatMap(scopes.index(of:)),
      let scopeInstance = scopes.current[parent]
    else {
      throw HostError(
        .lockedScope(name),
        "scope \(name) cannot be opened: its parent, "
          + "scope \(flow.scopes[index].parent ?? ScopeDeclaration.root), is locked")
    }
    do {
      _ = try scopes.unlock(
        index, in: scopeInstance, key: .nil, isByHand: false, holder: nil, hostKey: key,
        numbering: &caseState.lastScopeInstance)
    } catch {
      throw HostError(.lockedScope(name), "\(error)")
    }
    hostScopeInstances.last += 1
    hostScopeInstances.held.removeAll { !isOpen(with: $0.key) }
    hostScopeInstances.held.append((name, hostScopeInstances.last, key))
    transcribe(.open(scope: name, instance: hostScopeInstances.last))
    noteScopeInstances()
  }

  /// Returns true if the host holds a scope open with exactly that key.
  package func isOpen(with key: HostKey) -> Bool { instance(openedWith: key) != nil }

  /// Closes the scope instance that the host opened with that key, if it is still open.
  package func close(openedWith key: HostKey) {
    guard let instance = instance(openedWith: key) else { return }
    if let scopeInstance = hostScopeInstances.held.first(where: { $0.key === key }) {
      transcribe(.close(instance: scopeInstance.number))
    }
    close(instance, since: "the host closed it, #\(revision)")
    noteScopeInstances()
  }

  package func instance(openedWith key: HostKey) -> Int? {
    scopes.held[ObjectIdentifier(key)]
  }

  /// The scope instances that the host holds open, in the order in which they were opened.
  var heldScopeInstances: [(scope: String, number: Int, key: HostKey)] {
    hostScopeInstances.held.filter { isOpen(with: $0.key) }
  }

  /// Reopens the scope instances that the host held open in an earlier version of the flow, if their parents are open.
  func reopen(_ scopeInstances: [(scope: String, number: Int, key: HostKey)]) {
    for (scope, number, key) in scopeInstances {
      guard let index = scopes.index(of: scope), flow.scopes[index].isHosts,
        let parent = flow.scopes[index].parent.flatMap(scopes.index(of:)).flatMap({
          scopes.current[$0]
        }),
        (try? scopes.unlock(
          index, in: parent, key: .nil, isByHand: false, holder: nil, hostKey: key,
          numbering: &caseState.lastScopeInstance)) != nil
      else { continue }
      hostScopeInstances.held.append((scope, number, key))
      hostScopeInstances.last = max(hostScopeInstances.last, number)
    }
    noteScopeInstances()
  }

  /// Dispatches an action through a scope instance of the host.
  ///
  /// If that scope owns the action, its effects run in this scope instance. The action is refused once the instance is
  /// closed.
  package func dispatch(
    _ action: String, _ payload: Value, through key: HostKey, of scope: String
  ) -> Outcome {
    guard let instance = instance(openedWith: key) else {
      return .refused(
        Refusal(
          action: action, rejectedBy: .scope(scope),
          reason: "the scope instance through which it was dispatched is closed",
          place: scopes.index(of: scope).map { flow.scopes[$0].place }
            ?? SourcePlace(file: flow.file, line: 0)))
    }
    if let scopeInstance = hostScopeInstances.held.first(where: { $0.key === key }) {
      transcribe(.through(instance: scopeInstance.number))
    }
    hostScopeInstances.dispatchedThrough = instance
    defer { hostScopeInstances.dispatchedThrough = nil }
    return dispatchAndSettle(action, payload)
  }

  /// Returns the scope instance in which an action of the scope runs.
  @inline(__always)
  func scopeInstance(of scope: Int, for cause: Cause?) -> Int? {
    if cause == nil, hostScopeInstances.dispatchedThrough == nil { return scopes.current[scope] }
    return chosenScopeInstance(of: scope, for: cause)
  }

  private func chosenScopeInstance(of scope: Int, for cause: Cause?) -> Int? {
    if cause == nil, let scopeInstance = hostScopeInstances.dispatchedThrough,
      scopes[scopeInstance]?.scope == scope
    {
      return scopeInstance
    }
    return scopes.scopeInstance(of: scope, for: cause)
  }
}
