import FlowKernel

/// A journal with a table of tasks.
package protocol TaskStore: TaskReading, JournalStorage {
  /// Runs `body` with the rows of tasks, in a transaction that is durable when this returns.
  ///
  /// It may be run twice, if the connection to a database was cut.
  ///
  /// - Parameter now: the time by the wall clock, in microseconds since 1970; a database that several nodes share uses
  ///   its own.
  func withTasks<Answer: Sendable>(
    at now: Int, _ body: @escaping @Sendable (TaskTable) throws(JournalError) -> Answer
  ) async throws(JournalError) -> Answer

  /// Tells other nodes of a shared journal that a task of a case was answered; returns at once.
  func tellOthers(of caseID: String)
}

extension TaskStore {
  package func tellOthers(of caseID: String) {}
}
