import LuaRuntime

/// The changes of one turn, as its entry stores them.
package struct TurnFacts {
  package var commits: [Commit] = []
  package var changes: [CaseState.Change] = []
  package var began: [EffectRecord] = []
  /// The log items of durable effects, encoded, in order.
  package var told: [(effect: Int, bytes: [UInt8])] = []
  package var ended: [Int] = []
  /// The scope instances that have closed, each with the event that closed it.
  package var closed: [(number: Int, since: String)] = []
  /// The rejected dispatches before the turn, if the host keeps those.
  package var refused: [RejectedDispatchRecord] = []
  /// The number of further rejected dispatches, for which an entry has no space.
  package var refusedDropped = 0
  /// The failures of effects that did not finish, in order.
  package var failures: [EffectFailure] = []
  /// The failed attempts of effects, in order.
  package var attempts: [(effect: Int, attempt: EffectAttempt)] = []
  /// The new waits of effects that waited for something else before.
  package var waits: [(effect: Int, waits: [EffectStatus.Wait])] = []
  var numbers: CaseState.Numbers?
  package var clock: CaseClock?
  package var queue: [ActionQueue.Item] = []
  package var upNext: [EffectRecord] = []
  /// The results given for coming draws; nil if they are unchanged.
  var givenDraws: [Value]?

  /// The changes since its latest commit, or, without one, since the latest commit before it.
  var pendingChanges: [CaseState.Change] = []

  /// Reads the entry of a turn.
  package init(entry body: [UInt8]) throws(ValueReader.Malformed) {
    self = try CaseImage.reading(body, as: .turn) { reader throws(ValueReader.Malformed) in
      try TurnFacts(from: &reader)
    }
  }

  private init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    // The commits read so far: an effect refers to the commit that it follows if that comes before it.
    var known: [Int: Commit] = [:]
    while let fact = TurnFact(rawValue: try reader.byte()), fact != .end {
      switch fact {
      case .end: break
      case .commit:
        let commit: Commit = try reader.read()
        commits.append(commit)
        known[commit.revision] = commit
      case .change: changes.append(try reader.read())
      case .began: began.append(try EffectRecord(from: &reader, known))
      case .ended: ended.append(try reader.readCount())
      case .told: told.append((try reader.readCount(), try reader.readBytes()))
      case .closed: closed.append((try reader.readCount(), try reader.readText()))
      case .refused: refused.append(try reader.read())
      case .refusedDropped: refusedDropped = try reader.readCount()
      case .failed: failures.append(try reader.read())
      case .attempt: attempts.append((try reader.readCount(), try reader.read()))
      case .waits: waits.append((try reader.readCount(), try reader.readAll()))
      case .numbers: numbers = try reader.read()
      case .clock: clock = try reader.read()
      case .queue: queue = try reader.readAll()
      case .pendingChanges: pendingChanges = try reader.readAll()
      case .upNext: upNext = try reader.readAll()
      case .givenDraws:
        givenDraws = try reader.readAll { reader throws(ValueReader.Malformed) in
          try reader.value()
        }
      }
    }
  }
}
