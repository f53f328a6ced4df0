/// The waits of effects under way, and the failures of those that ended.
extension Engine {
  /// The effects under way, oldest first, then those that are about to begin.
  package var effectStatus: [EffectStatus] {
    let current = caseState.effects.values.sorted { $0.number < $1.number }
    return (current + caseState.upcomingEffects).map(EffectStatus.init)
  }

  /// Returns the record of an effect that begins.
  func record(of running: RunningEffects.Running) -> EffectRecord {
    EffectRecord(
      number: running.number, title: running.effect.title, ordinal: running.effect.ordinal,
      state: running.state, cause: running.cause, instance: running.instance,
      commit: running.commit,
      own: running.own == running.instance ? nil : closedScopeInstance(running.own))
  }

  /// Returns an instance of a scope if it is closed, else nil.
  func closedScopeInstance(_ number: Int) -> EffectRecord.ClosedScopeInstance? {
    guard let instance = scopes[number] else {
      return EffectRecord.ClosedScopeInstance(
        number: number, scope: "", parent: ScopeTree.rootNumber)
    }
    if !instance.block.isClosed { return nil }
    return EffectRecord.ClosedScopeInstance(
      number: number, scope: instance.name, parent: instance.parent ?? ScopeTree.rootNumber)
  }

  /// Records that an effect, or a function of one, begins to wait.
  func recordWait(_ running: RunningEffects.Running, for reason: EffectStatus.Wait.Reason) {
    let root = running.root.number
    caseState.effects[root]?.add(
      EffectStatus.Wait(
        function: running.place, reason: reason, since: time, attempt: running.attempt))
    deliver(.effectWaitsAnew(root), to: .effects)
  }

  /// Records that an effect, or a function of one, resumes.
  func endWait(of running: RunningEffects.Running) {
    caseState.effects[running.root.number]?.endWait(of: running.place)
  }

  /// Restores the waits of an effect that was run again, with the times at which they began.
  func restoreWaits(_ waits: [EffectStatus.Wait], of number: Int) {
    let places = Set(effects.tree(number).compactMap { effects[$0]?.place })
    caseState.effects[number]?.waits = waits.filter { places.contains($0.function) }
  }

  /// Records that an attempt of a `retry` has failed and is tried again.
  ///
  /// Nothing is recorded in a replay, since it was recorded before.
  func recordFailedAttempt(
    _ attempt: Int, of times: Int, _ message: String, by running: RunningEffects.Running
  ) {
    running.position.failAttempt()
    let root = running.root
    if running.isInsideStub || root.log.map({ $0.isTellingAgain || $0.isTrial }) == true { return }
    let failed = EffectAttempt(
      attempt: attempt, times: times,
      error: hidingSecrets(in: String(message.prefix(EffectAttempt.longestError))), time: time)
    caseState.effects[root.number]?.add(failed)
    deliver(.effectAttemptFailed(root.number, failed), to: .effects)
  }

  /// Records in the journal, if there is one, that an effect did not finish.
  func recordFailure(
    _ title: String, of commit: Commit, _ cause: Cause, _ error: String, isFault: Bool = false,
    handler: String? = nil, number: Int = 0, attempts: [EffectAttempt] = []
  ) {
    deliver(
      .effectFailed(
        EffectFailure(
          number: number, title: title, action: commit.action, cause: cause.revision,
          reason: hidingSecrets(in: error), isFault: isFault, handler: handler, attempts: attempts,
          time: time)), to: .effects)
  }
}
