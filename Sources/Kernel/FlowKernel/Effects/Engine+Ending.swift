/// How a host is stopped.
extension Engine {
  /// Ends all that is under way, while the flow can still hear of it.
  ///
  /// Effects that wait are stopped and scopes closed, the inner and the newer ones first; what
  /// `on_error` and clean-ups dispatch is played before the scope around them closes. Time stands
  /// still, no scope opens any more, and an effect that this starts comes no further than its first
  /// wait.
  ///
  /// Gives what was still to come.
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

  /// Stops effects: on those that the end itself has started nothing follows but a report, so that it
  /// comes to an end.
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
