/// Ends the work of a host that is stopped.
extension Engine {
  /// Ends all work under way, while the flow can still react to it.
  ///
  /// Waiting effects are stopped and scopes closed, the inner and the newer ones first. Actions that `on_error` and
  /// clean-ups dispatch run before the scope around them closes. Time stands still and no scope opens any more; an
  /// effect that starts now gets no further than its first wait.
  ///
  /// Returns the work that was still pending.
  package func conclude() -> [PendingWork] {
    settle()
    vm.beginWork(.effect, budget: mostPerChain)
    defer { vm.endWork() }
    let pendingWork = pendingWork
    let waiting = Set(effects.waiting.keys)
    scopes.isEnding = true
    caseState.queue.outsideCame()
    for number in scopes.tree(ScopeTree.rootNumber) {
      stopEffects(effects.waiting(in: number), startedBefore: waiting)
      if number == ScopeTree.rootNumber { break }
      close(number, since: "the host was stopped, #\(revision)")
      runQueue()
    }
    runQueue()
    scopes.cleanRootUp()
    runQueue()
    stopEffects(effects.all.map(\.number), startedBefore: [])
    stopEverything(because: nil)
    return pendingWork
  }

  /// Stops effects; those that the end itself has started are only reported, so that the end terminates.
  private func stopEffects(_ effects: [Int], startedBefore waiting: Set<Int>) {
    for effect in effects {
      if waiting.contains(effect) {
        stop(effect, because: "the host was stopped")
      } else {
        takeBack(effect, because: "the host was stopped")
      }
    }
  }
}
