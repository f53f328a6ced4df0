import LuaRuntime

/// The position of a notification among the entries of its case: the arguments of its row.
package struct NotificationPosition: Sendable, Hashable {
  /// The number of the first entry that was not sent.
  package var seq: Int
  /// The index of the first commit of that entry that was not sent.
  package var commit: Int
  /// The number of the last entry with a commit to send.
  package var last: Int
  /// The last one of the entries from `seq` on that compaction has dropped, if these are the next event.
  package var gap: Int?
  /// The number of failed tries of the next event.
  package var failures = 0
  /// The time of the first of them, in microseconds since 1970.
  package var failing: Int?

  package init(seq: Int, commit: Int = 0, last: Int) {
    (self.seq, self.commit, self.last) = (seq, commit, last)
  }

  /// Reads the arguments of a row.
  package init(_ arguments: Value) {
    seq = arguments["seq"]?.integerValue ?? 1
    commit = arguments["commit"]?.integerValue ?? 0
    last = arguments["last"]?.integerValue ?? 0
    gap = arguments["gap"]?.integerValue
    failures = arguments["failures"]?.integerValue ?? 0
    failing = arguments["failing"]?.integerValue
  }

  /// The arguments of the row.
  package var arguments: Value {
    var fields: [String: Value] = [
      "seq": .integer(seq), "commit": .integer(commit), "last": .integer(last),
    ]
    if let gap { fields["gap"] = .integer(gap) }
    if failures > 0 { fields["failures"] = .integer(failures) }
    if let failing { fields["failing"] = .integer(failing) }
    return .record(fields)
  }

  /// True if nothing is left to send.
  package var isOver: Bool { seq > last }

  /// Moves to another event, none of whose tries has failed; `last` stays.
  package mutating func move(to other: NotificationPosition) {
    (seq, commit, gap) = (other.seq, other.commit, other.gap)
    (failures, failing) = (0, nil)
  }

  /// Records a failed try at a time to send the event of another position; `last` stays.
  package mutating func recordFailure(at other: NotificationPosition, _ time: Int) {
    let (before, first) = (failures, failing)
    move(to: other)
    (failures, failing) = (before + 1, first ?? time)
  }

  /// The position behind the next event: the next commit of its entry, or the entry behind a gap.
  package var skipping: NotificationPosition {
    if let gap { return NotificationPosition(seq: gap + 1, last: last) }
    return NotificationPosition(seq: seq, commit: commit + 1, last: last)
  }
}
