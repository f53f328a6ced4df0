/// Delivery of the engine's events to its observers.
extension Engine {
  /// Delivers an event if an observer has this interest.
  @inline(__always)
  func deliver(_ event: @autoclosure () -> EngineEvent, to interest: EngineObservers.Interests) {
    if observers.interests.contains(interest) { observers.receive(event()) }
  }

  /// Delivers a commit to the journal, to subscribers with the views that it changed, and to the commit handler.
  package func deliver(_ commit: Commit, _ microsteps: () -> [MicrostepRecord]) {
    observers.receive(.committed(commit))
    if !observers.subscriptions.hasNobody { notify() }
    if observers.interests.contains(.microsteps) { scratch.latestSteps = microsteps() }
    observers.commitHandler?(commit)
  }

  /// Adds an input to the transcript, if there is one.
  package func transcribe(_ entry: @autoclosure () -> Transcript.Entry) {
    guard observers.interests.contains(.inputs) else { return }
    if observers.transcript?.note(entry(), within: limits.retained) == false {
      report(.transcriptEnded(revision: revision, excess("more of it")))
    }
  }

  /// True if inputs are recorded as they come in.
  var isTranscribing: Bool { observers.interests.contains(.inputs) }
}
