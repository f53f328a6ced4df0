#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows

  extension PostgresJournal: TaskStore {
    /// Runs `body` at the time of the server's clock, which all nodes share.
    package func withTasks<Answer: Sendable>(
      at now: Int, _ body: @escaping @Sendable (TaskTable) throws(JournalError) -> Answer
    ) throws(JournalError) -> Answer {
      try reader.read { (connection) throws(JournalError) in
        try connection.writingAmongNodes { () throws(JournalError) in
          let wall = try connection.row("SELECT wall()") { $0.integer(0) }
          return try body(TaskTable(SQLTaskRows(connection: connection), at: wall ?? now))
        }
      }
    }

    package func tellOthers(of caseID: String) { notifier?.tell([caseID]) }

    package func readingTasks<Answer: Sendable>(
      _ body: @escaping @Sendable (any TaskRows) throws(JournalError) -> Answer
    ) throws(JournalError) -> Answer {
      try reader.read { (connection) throws(JournalError) in
        try body(SQLTaskRows(connection: connection))
      }
    }
  }
#endif
