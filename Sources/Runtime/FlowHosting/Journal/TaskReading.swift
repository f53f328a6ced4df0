import FlowKernel

/// A journal whose table of tasks can be read.
package protocol TaskReading: Journal {
  /// Reads rows of tasks.
  func readingTasks<Answer: Sendable>(
    _ body: @escaping @Sendable (any TaskRows) throws(JournalError) -> Answer
  ) async throws(JournalError) -> Answer
}
