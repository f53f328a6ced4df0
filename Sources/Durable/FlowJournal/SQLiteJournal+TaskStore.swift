import FlowHosting
import FlowKernel
import JournalRows

extension SQLiteJournal: TaskStore {
  package func withTasks<Answer: Sendable>(
    at now: Int, _ body: @escaping @Sendable (TaskTable) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try batchWriter.perform(keepsRows: true) { (connection) throws(JournalError) in
      try connection.writing { () throws(JournalError) in
        try body(TaskTable(SQLTaskRows(connection: connection), at: now))
      }
    }
  }

  package func readingTasks<Answer: Sendable>(
    _ body: @escaping @Sendable (any TaskRows) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try read { (reads) throws(JournalError) in
      try body(SQLTaskRows(connection: reads.connection))
    }
  }
}
