#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows

  /// A reader of a journal in PostgreSQL, which is not a node and may be used while nodes serve its cases.
  ///
  /// For reading, the user of its URL needs only the right to read. It also has the functions that maintain a journal.
  package final class PostgresReader: RowReader {
    /// The name of the journal in messages: its URL without the password.
    package let name: String
    private let readers: PostgresReaders

    /// Connects to a journal.
    ///
    /// - Throws: `JournalError` if there is no journal, or none that this version of Moonlatch reads.
    package convenience init(_ url: String) throws(JournalError) {
      try self.init(PostgresPlace(url))
    }

    init(_ place: PostgresPlace) throws(JournalError) {
      // Connects once, without retries, because an error may be due to a mistake in the URL.
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

    /// Deletes data that is older than a time, as a `PostgresJournal` does that keeps keys for a week.
    package func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction {
      try readers.compact(keeping: age, keys: KeyAge(KeyAge.week))
    }

    /// Erases the contents of a case, as `PostgresJournal` does.
    package func erase(_ id: String) throws(JournalError) { try readers.erase(id) }
  }
#endif
