import FlowHosting
import FlowKernel

extension ReadOnlyJournal: TaskReading {
  package func readingTasks<Answer: Sendable>(
    _ body: @escaping @Sendable (any TaskRows) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try reader.read { (reads) throws(JournalError) in
      try body(SQLTaskRows(connection: reads.connection))
    }
  }
}
