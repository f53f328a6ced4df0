import FlowHosting
import FlowKernel

extension SharedMemoryJournal: TaskStore {
  package func withTasks<Answer: Sendable>(
    at now: Int, _ body: @escaping @Sendable (TaskTable) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try store.withTasks(at: wall(), body)
  }

  package func tellOthers(of caseID: String) { tell(caseID) }

  package func readingTasks<Answer: Sendable>(
    _ body: @escaping @Sendable (any TaskRows) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try store.readingTasks(body)
  }
}
