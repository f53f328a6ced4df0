import LuaRuntime

/// Opens and closes scopes according to their keys in the state.
extension Engine {
  /// The keys that were evaluated again.
  typealias Keys = [(scope: Int, key: Value?)]

  /// Closes and opens scopes, according to their keys and the host.
  ///
  /// It does nothing if no key has changed and no scope was opened or closed since the last call.
  func refreshScopes(since why: @autoclosure () -> String?) {
    guard flow.scopes.count > 1, derived.scopeKeys.refreshed != scopes.version else { return }
    let reason = why()
    for index in flow.scopes.indices.dropFirst() where !flow.scopes[index].isHosts {
      let key = derived.scopeKeys.values[index]
      let parent = flow.scopes[index].parent.flatMap(scopes.index(of:)).flatMap {
        scopes.current[$0]
      }
      if let number = scopes.current[index], let instance = scopes[number] {
        if let key, instance.key == key, instance.parent == parent { continue }
        close(number, since: reason)
      }
      guard let key, let parent else { continue }
      _ = try? scopes.unlock(
        index, in: parent, key: key, isByHand: false, holder: nil,
        numbering: &caseState.lastScopeInstance)
    }
    noteScopeInstances()
    derived.scopeKeys.refreshed = scopes.version
  }

  /// Stores the open scopes in the case's state.
  func noteScopeInstances() { caseState.note(scopeInstances: scopes.scopeInstances) }

  /// Evaluates the keys that have read something that changed, while the transaction can still be undone.
  ///
  /// A key that raises an error fails it. Returns the keys, or nil if there are none; they apply once the transaction
  /// is complete.
  func workOutKeys() throws(ScriptError) -> Keys? {
    guard vm.firstStaleReader(in: flow.keyNumbers) != nil else { return nil }
    var keys: Keys = []
    for (scope, reader) in flow.keyReaders.enumerated() {
      guard let reader, vm.isStale(reader) else { continue }
      let key = try vm.viewValue(reader, budget: budget, most: mostPerView).value
      keys.append((scope, key.isTruthy ? key : nil))
    }
    return keys
  }

  /// Sets the keys; `refreshScopes` acts on them.
  func take(_ keys: Keys?) {
    guard let keys else { return }
    for (scope, key) in keys { derived.scopeKeys.values[scope] = key }
    derived.scopeKeys.refreshed = nil
  }

  /// The cost in instructions of opening a scope instance, and of closing one: about 10 µs each.
  static let instructionsPerInstance = 800

  /// Closes an instance with its children.
  ///
  /// First stops the effects that wait in them, while the scopes still work; then stops the timers of the instances.
  package func close(_ number: Int, since reason: String?) {
    vm.beginWork(.effect, budget: budget)
    defer { vm.endWork() }
    let open = scopes.tree(number)
    vm.spend(Engine.instructionsPerInstance * open.count)
    for each in open {
      let title = scopes.name(of: each)
      let why = "scope \(title) is closed" + (reason.map { " (since \($0))" } ?? "")
      if instrumentation != nil { stopExplored(waitingIn: each, because: why) }
      for effect in effects.waiting(in: each) { stop(effect, because: why) }
    }
    for each in scopes.close(number, since: reason) {
      deliver(.scopeClosed(each, since: scopes.closedSince(each) ?? ""), to: .effects)
      stopTimers(ownedBy: .instance(each))
      caseState.queue.remove(ownedBy: .instance(each))
      vm.forgetInstance(each)
      for flowVersion in effects.earlierVersions { flowVersion.vm.forgetInstance(each) }
    }
    for old in scopes.forgetOld(keeping: 1_000) {
      if let reference = old.reference { vm.release(reference) }
    }
  }

  /// Closes the scope instances that an ended effect unlocked by hand.
  func closeUnlocked(by running: RunningEffects.Running) {
    for number in scopes.endHolder(running.number) where scopes[number]?.block.isClosed == false {
      close(number, since: "the end of \(running.title), #\(revision)")
    }
  }

  /// Returns the Lua object of an instance, for an effect's `self`.
  package func reference(to number: Int) throws(ScriptError) -> LuaReference {
    if let reference = scopes[number]?.reference { return reference }
    let reference = try vm.instance(number)
    scopes.keep(reference, for: number)
    return reference
  }
}
