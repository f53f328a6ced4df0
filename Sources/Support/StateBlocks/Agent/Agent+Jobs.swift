// What an agent does besides its caller's closure: casts, and telling.

extension Agent {
  /// Accepts a job for the background thread, or for whoever is first.
  func post(certain: Bool = false, _ job: sending @escaping () -> Void) throws(AgentError) {
    try mailbox.post(
      certain: certain, refusal: { stoppedError }, worker: { [self] in work() }, job)
  }

  /// Lets the casts from inside a closure follow, or drops them.
  func release(_ isDone: Bool) {
    if turn.depth > 0 { mailbox.release(isDone, worker: { [self] in work() }) }
  }

  /// Has something done outside the turn, after whatever was said before.
  func say(_ message: @escaping @Sendable () -> Void) {
    outbox.post(message)
    turn.empty(outbox)
  }

  /// Tells a commit's audience.
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

  /// Reports what has no caller to go to.
  func sayFailed(_ activity: AgentFailure.Activity, _ error: any Error) {
    let failure = AgentFailure(
      agent: name, revision: commits.load(ordering: .relaxed), activity: activity, error: error)
    say { [report] in report(failure) }
  }

  /// The background thread's work: takes the turn until no cast waits.
  private func work() {
    repeat {
      do throws(AgentError) {
        let thread = try turn.enter()
        runCasts()
        end(thread)
      } catch {
        // This thread holds nothing, so it cannot be refused.
      }
    } while mailbox.mustGoOn()
  }
}
