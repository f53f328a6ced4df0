import FlowKernel
import HostFiles
import LuaRuntime

/// The real calls of a scenario with the tag `live`.
///
/// A call begins at once. `settle` and `advance` wait for open calls in real time, each of which has a timeout of its
/// own; the flow's time stands still meanwhile.
extension ScenarioRun {
  /// Lends the flow the capabilities of its host file; a stub is found before them.
  func lend(_ capabilities: Capabilities) {
    var capabilities = capabilities
    let tasks = LiveTasks(hasWorkers: false)
    capabilities.live = tasks
    engine.calls = CapabilityCalls(capabilities: capabilities)
    live = LivePerformances(capabilities.tasks, of: tasks.caseID)
  }

  /// Runs what is queued, and in a live scenario all that follows on the calls that are open.
  func settle() throws {
    engine.settle()
    guard let live else { return }
    while true {
      live.follow(engine.openTasks)
      // The script waits, so that the watchdog does not count that time.
      CurrentRun.waiting(in: engine.vm) { live.wait() }
      let ended = live.removeEnded()
      if ended.isEmpty { return }
      for end in ended { try deliver(end) }
      engine.settle()
    }
  }

  /// Advances the time; in a live scenario from one timer to the next, so that each finds the answers of earlier calls.
  func advance(_ seconds: Double) throws {
    guard live != nil else { return engine.advance(seconds) }
    let end = EngineTime.later(engine.time, by: EngineTime.microseconds(seconds))
    try settle()
    while let due = engine.nextDue, due <= end {
      let time = engine.time
      engine.advance(microseconds: due - time)
      try settle()
      // A timer that could not fire stays due.
      if engine.time == time, engine.nextDue == due { break }
    }
    engine.advance(microseconds: end - engine.time)
    try settle()
  }

  /// Gives the outcome of a call to the effect that waits for it.
  ///
  /// - Throws: an error if only an operator, or a webhook, could go on with it.
  private func deliver(_ end: LivePerformances.Ended) throws {
    let name = end.task.capability
    switch end.outcome {
    case .answered(let outcome): engine.answer(end.task.key, with: outcome)
    case .accepted:
      throw UsageError(
        "the answer to \(name) comes through a webhook, and none comes here: stub it")
    case .dead(let reason): throw UsageError("\(name) was not performed: \(reason)")
    case .interrupted: throw UsageError("\(name) was interrupted")
    }
  }
}
