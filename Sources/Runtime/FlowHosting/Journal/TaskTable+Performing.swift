import FlowKernel

/// The rules of tasks that nodes perform themselves.
///
/// A node knows such a task by its call and its token: it may have leased the row by inserting it, and has seen no
/// number.
extension TaskTable {
  /// The kinds of tasks that nodes perform themselves.
  private static let performedHere: Set<TaskKind> = [.http, .command, .notification]

  /// Answers a task with the token of its latest lease.
  package func answer(
    _ task: OpenTask.Key, token: String, with outcome: TaskOutcome
  ) throws(JournalError) -> TaskReply {
    try answer(row(of: task), token: token, with: outcome)
  }

  /// Ends the lease of a task whose request was accepted: it waits for its answer.
  package func accept(_ task: OpenTask.Key, token: String) throws(JournalError) -> TaskReply {
    try held(row(of: task), token) { (row) throws(JournalError) in
      (row.state, row.free) = (.called, nil)
    }
  }

  /// Makes a task dead, for a reason that an operator has to remove.
  ///
  /// A task that is performed at most once fails instead, because nobody may perform it again.
  package func end(
    _ task: OpenTask.Key, token: String, because reason: String
  ) throws(JournalError) -> TaskReply {
    try held(row(of: task), token) { (row) throws(JournalError) in
      if row.task.isOnce { return fail(&row, reason) }
      (row.state, row.free, row.error) = (.dead, nil, reason)
    }
  }

  /// Gives back an interrupted task, which can be claimed again after a time; no lease counts as lost.
  ///
  /// A task that is performed at most once stays leased: nobody knows how far it has come.
  package func giveBack(
    _ task: OpenTask.Key, token: String, after time: Int
  ) throws(JournalError) -> TaskReply {
    try held(row(of: task), token) { (row) throws(JournalError) in
      if row.task.isOnce { return }
      (row.state, row.token) = (.ready, nil)
      row.free = EngineTime.later(now, by: time)
    }
  }

  /// Ends the leases of tasks that nodes perform themselves.
  ///
  /// Call it when the only node starts: the process that had the leases has ended.
  package func endLeases() throws(JournalError) {
    try rows.endLeases(of: TaskTable.performedHere, at: now)
  }

  func row(of task: OpenTask.Key) throws(JournalError) -> StoredTask? {
    guard let row = try rows.latest(ofCall: task.call.text), row.task.key == task else {
      return nil
    }
    return row
  }
}
