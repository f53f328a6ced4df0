import FlowHosting
import FlowKernel

/// The requests of operators: to list tasks, and to retry or drop dead ones.
extension CaseTasks {
  /// Returns a task; nil if there is none, or it was closed long ago.
  package func task(_ id: Int) async throws(JournalError) -> StoredTask? {
    try await line.read { (rows) throws(JournalError) in try rows.row(id) }
  }

  /// Returns the latest task of a call; nil if there is none, or it was closed long ago.
  package func task(ofCall call: String) async throws(JournalError) -> StoredTask? {
    try await line.read { (rows) throws(JournalError) in try rows.latest(ofCall: call) }
  }

  /// Returns tasks in the order of their numbers.
  package func list(_ query: TaskQuery) async throws(JournalError) -> [StoredTask] {
    try await line.read { (rows) throws(JournalError) in try rows.list(query) }
  }

  /// Returns the number of tasks by queue and state.
  package func counts() async throws(JournalError) -> [TaskCount] {
    try await line.read { (rows) throws(JournalError) in try rows.counts() }
  }

  /// Makes a dead task ready again.
  package func retry(_ id: Int) async throws(JournalError) -> TaskReply {
    let reply = try await line.perform { (table) throws(JournalError) in try table.retry(id) }
    if case .done(let row) = reply { wake(for: [row.task]) }
    return reply
  }

  /// Makes dead tasks ready again, up to 1,000.
  ///
  /// - Returns: the number of tasks.
  package func retry(_ query: TaskQuery) async throws(JournalError) -> Int {
    let retried = try await line.perform { (table) throws(JournalError) in try table.retry(query) }
    wake(for: retried.map(\.task))
    return retried.count
  }

  /// Deletes an answer that nothing waited for, or skips an event of a notification.
  package func drop(_ id: Int) async throws(JournalError) -> TaskReply {
    let reply = try await line.perform { (table) throws(JournalError) in try table.drop(id) }
    if case .done(let row) = reply, row.state == .ready { wake(for: [row.task]) }
    return reply
  }
}
