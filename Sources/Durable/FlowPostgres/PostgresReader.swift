#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows

  /// Reads a journal in PostgreSQL, also while nodes serve its cases: it is none of them.
  ///
  /// To read the user of its URL needs the right to read alone. What takes care of the journal, as of a file, is beside it.
  package final class PostgresReader: RowReader {
    /// What messages call the journal: its URL without the password.
    package let name: String
    private let readers: PostgresReaders

    /// Connects to a journal.
    ///
    /// - Throws: `JournalError`, where there is none, or none that this Moonlatch reads.
    package convenience init(_ url: String) throws(JournalError) {
      try self.init(PostgresPlace(url))
    }

    init(_ place: PostgresPlace) throws(JournalError) {
      // At once, and not again and again: what is told of it may be a mistake in the URL.
      let first = PostgresLink(place, shards: nil, try PostgresSchema.open(place, shards: nil))
      readers = PostgresReaders(place, first: first)
      name = place.name
    }

    deinit { readers.close() }

    package func read<T>(
      _ body: (CaseReads) throws(JournalError) -> T
    ) throws(JournalError) -> T {
      try readers.read { (connection) throws(JournalError) in
        try body(CaseReads(connection: connection))
      }
    }

    /// Drops what is older than a time, as `PostgresJournal` does whose keys are kept for a week.
    package func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction {
      try readers.compact(keeping: age, keys: KeyAge(KeyAge.week))
    }

    /// Takes away what is personal in a case, as `PostgresJournal` does.
    package func erase(_ id: String) throws(JournalError) { try readers.erase(id) }
  }
#endif
