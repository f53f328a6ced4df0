#if PostgreSQL
  import JournalRows
  import Moonlatch

  /// Reads a journal in PostgreSQL, also while nodes serve its cases: it is none of them, and writes nothing, so that
  /// the user of its URL needs the right to read alone.
  package final class PostgresReader: RowReader {
    private let readers: PostgresReaders

    /// Connects to a journal.
    ///
    /// - Throws: `JournalError`, where there is none, or none that this Moonlatch reads.
    package convenience init(_ url: String) throws(JournalError) {
      try self.init(PostgresPlace(url))
    }

    init(_ place: PostgresPlace) throws(JournalError) {
      readers = PostgresReaders(place)
      try readers.read { _ in }
    }

    deinit { readers.close() }

    package func read<T>(
      _ body: (CaseReads) throws(JournalError) -> T
    ) throws(JournalError) -> T {
      try readers.read { (connection) throws(JournalError) in
        try body(CaseReads(connection: connection))
      }
    }
  }
#endif
