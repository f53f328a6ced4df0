import LuaRuntime

/// The waits of effects under way, and the failures of those that ended.
extension Engine {
  /// The effects under way, oldest first, then those that are about to begin.
  package var effectStatus: [EffectStatus] {
    (effects.all.map(stored) + caseState.upcomingEffects).map(EffectStatus.init)
  }

  /// An effect, or a function of one, begins to wait.
  func recordWait(_ running: RunningEffects.Running, for reason: EffectStatus.Wait.Reason) {
    running.wait = EffectStatus.Wait(
      function: running.branch?.place ?? "", reason: reason, since: time,
      attempt: running.attempt)
    deliver(.effectWaitsAnew(running.root), to: .effects)
  }

  /// The waits of an effect and its functions, in order of position.
  func waits(of root: RunningEffects.Running) -> [EffectStatus.Wait] {
    var waiting = effects.tree(root.number).compactMap { effects[$0] }
    if let current = effects.current, current.root === root, effects[current.number] == nil {
      waiting.append(current)
    }
    return waiting.compactMap(\.wait).sorted { $0.function < $1.function }
  }

  /// Gives an effect that was run again the waits that it had before: they began then.
  func restoreWaits(_ waits: [EffectStatus.Wait], of number: Int) {
    for each in effects.tree(number) {
      guard let running = effects[each] else { continue }
      let function = running.branch?.place ?? ""
      running.wait = waits.first { $0.function == function }
    }
  }

  /// An attempt of a `retry` has failed and is tried again: an effect that is led to where it was has
  /// recorded that before.
  func recordFailedAttempt(
    _ attempt: Int, of times: Int, _ message: String, by running: RunningEffects.Running
  ) {
    running.position.failAttempt()
    let root = running.root
    if running.isInsideStub || root.log.map({ $0.isTellingAgain || $0.isTrial }) == true { return }
    let failed = EffectAttempt(
      attempt: attempt, times: times,
      error: hidingSecrets(in: String(message.prefix(EffectAttempt.longestError))), time: time)
    root.add(failed)
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
