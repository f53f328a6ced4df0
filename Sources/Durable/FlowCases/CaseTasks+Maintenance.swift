import FlowHosting
import FlowKernel

/// The rows that nobody asks for: tasks whose time has passed, answers without a receiver, and rows that have ended.
extension CaseTasks {
  /// Fails the tasks whose deadline has passed, and those performed at most once whose lease has ended.
  func expire() async throws(JournalError) {
    let now = wall()
    let isLate = try await line.read { (rows) throws(JournalError) in
      try !rows.overdue(at: now, limit: 1).isEmpty
    }
    guard isLate else { return }
    _ = try await line.perform { (table) throws(JournalError) in try table.expire() }
  }

  /// Returns answers that no case has got yet, in the order in which they were given.
  ///
  /// - Parameter last: the answer behind which the list begins; nil for the first one.
  func answers(
    after last: StoredTask?, limit: Int
  ) async throws(JournalError) -> [StoredTask] {
    try await line.read { (rows) throws(JournalError) in
      try rows.answered(after: last, limit: limit)
    }
  }

  /// Keeps an answer that no effect waits for as unheard.
  func discard(_ id: Int) async throws(JournalError) {
    let reply = try await line.perform { (table) throws(JournalError) in try table.discard(id) }
    if case .unheard(let row) = reply { reportUnheard(row) }
  }

  /// Ends the leases of the process before this one, which performed tasks itself.
  func endLeases() async throws(JournalError) {
    try await line.perform { (table) throws(JournalError) in try table.endLeases() }
  }

  /// Deletes rows that are not needed any more.
  func deleteEnded() async throws(JournalError) {
    try await line.perform { (table) throws(JournalError) in try table.deleteEnded() }
  }
}
