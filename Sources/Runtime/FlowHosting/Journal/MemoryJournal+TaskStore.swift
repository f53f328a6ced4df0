import FlowKernel

extension MemoryJournal: TaskStore {
  package func withTasks<Answer: Sendable>(
    at now: Int, _ body: @escaping @Sendable (TaskTable) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try changingTasks { tasks throws(JournalError) in try tasks.change(at: now, body) }
  }

  package func readingTasks<Answer: Sendable>(
    _ body: @escaping @Sendable (any TaskRows) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try changingTasks { tasks throws(JournalError) in try tasks.read(body) }
  }
}
