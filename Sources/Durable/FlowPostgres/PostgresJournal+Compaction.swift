#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows

  extension PostgresJournal {
    /// Deletes data that is older than a time: entries that are also in two snapshots, answers to keys, and
    /// ended cases.
    ///
    /// The entries of a case with fewer snapshots stay. Expired keys are deleted whatever `age` is. The
    /// server frees the space for other rows by itself (autovacuum).
    ///
    /// - Parameter age: the age up to which data is kept.
    /// - Returns: the numbers of deleted rows.
    @discardableResult
    public func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction {
      try reader.compact(keeping: age, keys: keys)
    }

    /// Erases the contents of a case: its entries' contents, its snapshots and its keys.
    ///
    /// The case ends, its id stays known, and `verify` finds its chain of entries intact. Its contents in the
    /// server's own log and backups disappear when those do.
    ///
    /// - Throws: `JournalError`: `unknownCase`; or the error that interrupted it, in which case it can be called again.
    public func erase(_ id: String) throws(JournalError) { try reader.erase(id) }
  }

#endif
