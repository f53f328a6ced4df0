/// An event that an engine reports to its observers.
package enum EngineEvent {
  /// A dispatch has passed.
  case committed(Commit)
  /// A dispatch was refused or failed.
  case rejected(RejectedDispatch)
  /// An effect waits, or is about to do something that cannot be undone.
  case effectWaits(Int)
  /// An effect, or a function of one, now waits for something else.
  case effectWaitsAnew(Int)
  /// A durable effect got an answer, encoded.
  case effectAnswered(Int, [UInt8])
  /// An attempt of an effect has failed and will be retried.
  case effectAttemptFailed(Int, EffectAttempt)
  /// An effect did not finish.
  case effectFailed(EffectFailure)
  case effectEnded(Int)
  /// An effect of an earlier process cannot be resumed.
  case effectLost(Int)
  /// An instance of a scope has closed, with the time since when.
  case scopeClosed(Int, since: String)
}
