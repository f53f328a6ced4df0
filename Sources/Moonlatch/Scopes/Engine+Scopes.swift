import LuaRuntime
import StateBlocks

/// What `refreshScopes` went by: how often a key was worked out, and how often something was opened or
/// closed.
struct SeenScopes: Equatable {
  let keys: Int
  let openings: Int
}

/// Which scopes are open follows from the state alone.
extension Engine {
  /// Works the keys out where something that they read has changed; closes and opens.
  ///
  /// Where nothing has changed since the last time, and nothing was opened or closed, there is nothing to do.
  func refreshScopes(since why: @autoclosure () -> String?) throws(ScriptError) {
    guard flow.scopes.count > 1 else { return }
    if vm.firstStaleReader(in: flow.keyNumbers) != nil { keysWorkedOut += 1 }
    let seen = SeenScopes(keys: keysWorkedOut, openings: scopes.version)
    if seen == refreshed { return }
    let reason = why()
    for index in flow.scopes.indices.dropFirst() where !flow.scopes[index].isHosts {
      let key = try key(of: index)
      let parent = flow.scopes[index].parent.flatMap(scopes.index(of:)).flatMap {
        scopes.current[$0]
      }
      if let number = scopes.current[index], let instance = scopes[number] {
        if let key, instance.key == key, instance.parent == parent { continue }
        close(number, since: reason)
      }
      guard let key, let parent else { continue }
      _ = try? scopes.unlock(index, in: parent, key: key, isByHand: false, holder: nil)
    }
    refreshed = SeenScopes(keys: seen.keys, openings: scopes.version)
  }

  /// Works the keys out while the transition can still be taken back: a key that raises an error
  /// fails it, and `refreshScopes` finds every key at hand afterwards.
  func workOutKeys() throws(ScriptError) {
    var numbers = flow.keyNumbers
    while let reader = vm.firstStaleReader(in: numbers) {
      keysWorkedOut += 1
      _ = try vm.viewValue(reader, budget: budget)
      numbers = reader + 1..<numbers.upperBound
    }
  }

  /// The key in the state; nil where it is neither there nor true.
  private func key(of scope: Int) throws(ScriptError) -> Value? {
    guard let reader = flow.keyReaders[scope] else { return nil }
    let key = try vm.viewValue(reader, budget: budget)
    return key.isTruthy ? key : nil
  }

  /// Closes an instance with its children; stops the effects that wait in them, as long as the
  /// scopes still work, and what these have scheduled.
  func close(_ number: Int, since reason: String?) {
    for each in scopes.tree(number) {
      let title = scopes.name(of: each)
      for task in effects.tasks(in: each) {
        stop(task, because: "scope \(title) is closed" + (reason.map { " (since \($0))" } ?? ""))
      }
    }
    for each in scopes.close(number, since: reason) {
      timers.remove(ownedBy: .instance(each))
      queue.remove(ownedBy: .instance(each))
      vm.forgetInstance(each)
    }
    for old in scopes.forgetOld(keeping: 1_000) {
      if let reference = old.reference { vm.release(reference) }
    }
  }

  /// Closes what an effect that has ended unlocked by hand.
  func closeUnlocked(by running: RunningEffects.Running) {
    guard scopes.endHolder(running.number) else { return }
    for instance in scopes.instances.values.sorted(by: { $0.number > $1.number })
    where instance.holder == running.number && !instance.block.isClosed {
      close(instance.number, since: "the end of \(running.effect.title), #\(revision)")
    }
  }

  /// The Lua object of an instance, for an effect's `self`.
  func reference(to number: Int) throws(ScriptError) -> LuaReference {
    if let reference = scopes[number]?.reference { return reference }
    let reference = try vm.instance(number)
    scopes.keep(reference, for: number)
    return reference
  }
}
