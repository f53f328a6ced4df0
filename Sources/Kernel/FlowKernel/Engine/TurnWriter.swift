/// A writer that stores the turns of a case in a journal, as far as the engine knows it.
///
/// The engine calls it before a call leaves the host, and after all timers due at one time.
package protocol TurnWriter: AnyObject, Sendable {
  /// The id of the case.
  var id: String { get }
  /// The identity of the journal; nil before a flow has claimed it.
  var identity: JournalIdentity? { get }
  /// The error that left memory ahead of the journal; the engine must be discarded then.
  var failure: JournalError? { get }
  /// The receipt of the turn under way.
  var receipt: WriteReceipt { get }
  /// Returns the time of the wall clock, in microseconds since 1970.
  var wall: @Sendable () -> Int { get }

  /// Ends the turn under way, and writes its entry.
  func endTurn(_ engine: Engine) -> WriteReceipt

  /// Writes what has happened so far in this turn, and blocks until the journal has it.
  ///
  /// - Throws: `JournalError`, if it could not be written.
  func barrier(_ engine: Engine) throws(JournalError)
}
