#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows

  extension PostgresJournal {
    /// Drops what is older than a time: entries that two snapshots say too, answers to keys, and cases that have ended.
    ///
    /// Where a case has fewer snapshots its entries stay. Keys that the store keeps no longer go whatever that time is.
    /// The server makes the space free for others by itself (autovacuum).
    @discardableResult
    public func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction {
      try reader.compact(keeping: age, keys: keys)
    }

    /// Takes away what is personal in a case: what happened in it, its snapshots, its keys.
    ///
    /// It ends, its id stays known, and `verify` finds its chain whole. What is in the server's own log and backups
    /// goes when those do.
    ///
    /// - Throws: `JournalError`: `unknownCase`; or what kept it from being done, in which case it can be called again.
    public func erase(_ id: String) throws(JournalError) { try reader.erase(id) }
  }

#endif
