/// Something that an engine did, as its observers hear of it.
package enum EngineEvent {
  /// A dispatch has passed.
  case committed(Commit)
  /// A dispatch was refused or failed.
  case rejected(RejectedDispatch)
  /// An effect waits, or is about to do what cannot be taken back.
  case effectWaits(Int)
  /// An effect, or a function of one, waits for something else.
  case effectWaitsAnew(Int)
  /// A durable effect got an answer, encoded.
  case effectAnswered(Int, [UInt8])
  /// An attempt of an effect has failed, and is tried again.
  case effectAttemptFailed(Int, EffectAttempt)
  /// An effect did not finish.
  case effectFailed(EffectFailure)
  case effectEnded(Int)
  /// An effect of an earlier process goes on nowhere.
  case effectLost(Int)
  /// An instance of a scope has closed, and since when.
  case scopeClosed(Int, since: String)
}
