// The work of an agent besides its caller's closure: casts, and delivery to observers.

extension Agent {
  /// Queues a job, which the background thread or the next synchronous call runs.
  func post(certain: Bool = false, _ job: sending @escaping () -> Void) throws(AgentError) {
    try mailbox.post(
      certain: certain, refusal: { stoppedError }, worker: { [self] in work() }, job)
  }

  /// Queues the casts made inside a closure if it is done, and drops them if it failed.
  func release(_ isDone: Bool) {
    if turn.depth > 0 { mailbox.release(isDone, worker: { [self] in work() }) }
  }

  /// Queues a message for delivery outside the turn, after all earlier ones.
  func say(_ message: @escaping @Sendable () -> Void) {
    outbox.post(message)
    turn.empty(outbox)
  }

  /// Queues the delivery of a commit to its observers.
  func sayChanged(_ old: State, to audience: [Observers<State>.Observer]) {
    let revision = commits.load(ordering: .relaxed)
    // `nonisolated(unsafe)`: there is an audience, so the state is `Sendable` (see `Observers`).
    nonisolated(unsafe) let change = AgentChange(revision: revision, old: old, new: storage.pointee)
    say { [name, report] in
      for observer in audience where observer.isActive.load(ordering: .relaxed) {
        do {
          try observer.tell(change)
        } catch {
          report(
            AgentFailure(agent: name, revision: revision, activity: .observer, error: error))
        }
      }
    }
  }

  /// Reports an error that no caller can receive.
  func sayFailed(_ activity: AgentFailure.Activity, _ error: any Error) {
    let failure = AgentFailure(
      agent: name, revision: commits.load(ordering: .relaxed), activity: activity, error: error)
    say { [report] in report(failure) }
  }

  /// Runs casts on the background thread until none waits.
  private func work() {
    repeat {
      do throws(AgentError) {
        let thread = try turn.enter()
        runCasts()
        end(thread)
      } catch {
        // This thread holds nothing, so `enter` cannot throw.
      }
    } while mailbox.mustGoOn()
  }
}
