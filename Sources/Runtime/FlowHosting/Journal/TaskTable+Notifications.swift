import FlowKernel

/// The rules of notifications: a case has one row for each that has something to send.
///
/// An entry finds the row of its case and moves the position of the last entry to send, or finds none and sets one. The
/// sender deletes the row once its position is behind the last entry. Both lock the row, so that no entry is missed.
extension TaskTable {
  /// The first and the longest pause after a failed try, in seconds.
  private static let (firstPause, longestPause) = (1.0, 3_600.0)

  /// Sets the rows of the notifications of an entry.
  func notify(of entry: JournalEntry, in caseID: String) throws(JournalError) {
    if entry.notified.isEmpty { return }
    let open = try rows.open(of: caseID).filter { $0.task.kind == .notification }
    for task in entry.notified {
      guard var row = open.first(where: { ExactText($0.task.name) == ExactText(task.name) }) else {
        _ = try rows.insert(StoredTask(task, of: caseID))
        continue
      }
      row.position.last = max(row.position.last, entry.seq)
      try rows.storeOpening(row)
    }
  }

  /// Moves a notification behind an event that was sent, and prolongs its lease.
  ///
  /// If nothing is left to send, deletes its row and returns `closed`.
  ///
  /// - Parameters:
  ///   - wall: the time of the event's entry, in microseconds since 1970; nil if no event was sent.
  ///   - lease: the length of the lease, in microseconds.
  package func advance(
    _ task: OpenTask.Key, token: String, to next: NotificationPosition, sent wall: Int?,
    lease: Int
  ) throws(JournalError) -> TaskReply {
    guard var row = try row(of: task) else { return .unknown }
    guard row.state == .leased, row.token == token else { return .leaseLost(row) }
    row.position.move(to: next)
    if row.position.isOver {
      try rows.delete(row.id)
      return .closed(row)
    }
    if let wall { row.task = row.task.with(arguments: row.task.arguments, opened: wall) }
    row.free = EngineTime.later(now, by: lease)
    (row.lost, row.error) = (0, nil)
    try rows.update(row)
    try rows.storeOpening(row)
    return .done(row)
  }

  /// Gives back a notification whose event could not be sent, so that it is tried again later.
  ///
  /// The notification is dead once tries have failed for too long.
  ///
  /// - Parameters:
  ///   - position: the position of the event.
  ///   - after: the time in seconds before which another try makes no sense.
  ///   - giveUp: the longest time from the first failed try to the last, in microseconds; 0 if there is no other try.
  ///   - spread: a number around 1 by which the pause is multiplied.
  package func postpone(
    _ task: OpenTask.Key, token: String, at position: NotificationPosition,
    because reason: String, after: Double?, giveUp: Int, spread: Double
  ) throws(JournalError) -> TaskReply {
    try held(row(of: task), token) { (row) throws(JournalError) in
      var failed = row.position
      failed.recordFailure(at: position, now)
      row.position = failed
      row.error = reason
      if now - (failed.failing ?? now) >= giveUp {
        (row.state, row.free) = (.dead, nil)
      } else {
        let pause = TaskTable.pause(after: failed.failures) * spread
        (row.state, row.token) = (.ready, nil)
        row.free = EngineTime.later(now, by: EngineTime.microseconds(max(pause, after ?? 0)))
      }
      try rows.storeOpening(row)
    }
  }

  /// Returns the pause after a number of failed tries, in seconds: 1 s, doubling up to an hour.
  static func pause(after failures: Int) -> Double {
    min(longestPause, firstPause * Double(1 << max(0, min(failures - 1, 12))))
  }

  /// Skips the next event of a notification that is dead, or waits for another try.
  func dropEvent(of row: StoredTask) throws(JournalError) -> TaskReply {
    guard row.state == .dead || (row.state == .ready && row.position.failures > 0) else {
      return .answered(row)
    }
    return .done(try readied(row, at: row.position.skipping))
  }

  /// Makes a notification ready to send from a position on, and forgets its failed tries.
  func readied(
    _ row: StoredTask, at position: NotificationPosition
  ) throws(JournalError) -> StoredTask {
    var row = row
    row.position.move(to: position)
    (row.state, row.free, row.lost) = (.ready, now, 0)
    (row.token, row.error) = (nil, nil)
    try rows.update(row)
    try rows.storeOpening(row)
    return row
  }

  /// Deletes the row of a notification that the host file does not have any more.
  package func remove(_ task: OpenTask.Key, token: String) throws(JournalError) -> TaskReply {
    guard let row = try row(of: task) else { return .unknown }
    guard row.token == token else { return .leaseLost(row) }
    try rows.delete(row.id)
    return .closed(row)
  }

  /// Deletes the rows of a notification that the host file does not have any more, and that nobody holds.
  func removeAll(of notification: TaskPerformer) throws(JournalError) {
    var query = TaskQuery(queue: notification.queue, limit: 1_000)
    while true {
      let listed = try rows.list(query)
      for row in listed where row.task.kind == .notification {
        let isHeld = row.state == .leased && row.free.map { $0 > now } ?? false
        if !isHeld { try rows.delete(row.id) }
      }
      guard let last = listed.last, listed.count == query.limit else { return }
      query.after = last.id
    }
  }
}
