#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows

  extension PostgresReaders {
    /// Deletes data that is older than a time, and expired keys.
    func compact(keeping age: Duration, keys: KeyAge) throws(JournalError) -> JournalCompaction {
      try compact(
        before: EngineTime.later(EngineTime.wall(), by: -EngineTime.microseconds(age)),
        keysBefore: EngineTime.later(keys.wall(), by: -keys.age))
    }

    func compact(
      before: Int, keysBefore: Int = .min
    ) throws(JournalError) -> JournalCompaction {
      try JournalCompaction.run(before: before, keysBefore: keysBefore) {
        (body) throws(JournalError) in
        try read { (connection) throws(JournalError) in try body(connection) }
      }
    }

    func erase(_ id: String) throws(JournalError) {
      let now = EngineTime.wall()
      try read { (connection) throws(JournalError) in
        try connection.writing { () throws(JournalError) in
          try CaseWrites(connection: connection).erase(id, at: now)
        }
      }
    }
  }
#endif
