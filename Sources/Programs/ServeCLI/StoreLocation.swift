#if Server
  import FlowHosting
  import FlowJournal
  import FlowKernel
  import FlowPostgres
  import JournalRows
  import Platform
  import SharedCommands

  /// The store of the cases, as `--journal` names it.
  struct StoreLocation {
    let journal: any SnapshotReading
    /// The description of the store for messages.
    let text: String

    /// Returns a store in memory, whose cases are lost when the process ends.
    static func memory() -> StoreLocation {
      StoreLocation(
        journal: MemoryJournal(), text: "in memory: they are lost when this process ends")
    }

    /// Opens a file, or a database by its URL.
    ///
    /// - Parameters:
    ///   - quick: true if acknowledged commits need to survive the process, but not a power cut.
    ///   - isReadOnly: true if a store that other processes may have open must not be written.
    static func open(
      _ name: String, quick: Bool = false, isReadOnly: Bool = false
    ) throws -> StoreLocation {
      if name == "memory" { return memory() }
      if case .database(let url) = try NamedJournal(name) {
        return try openDatabase(url, quick: quick, isReadOnly: isReadOnly)
      }
      if isReadOnly {
        return StoreLocation(
          journal: ReadOnlyJournal(try JournalReader(file: URL(filePath: name))),
          text: "in \(name), opened read-only")
      }
      let store = try SQLiteJournal(
        file: URL(filePath: name), durability: quick ? .process : .full)
      return StoreLocation(
        journal: store,
        text: "in \(name): answers survive "
          + (quick ? "a crash of the process, not a power cut" : "a power cut"))
    }

    private static func openDatabase(
      _ url: String, quick: Bool, isReadOnly: Bool
    ) throws -> StoreLocation {
      if quick {
        throw LocationError(description: "--quick is for files only.")
      }
      if isReadOnly {
        return StoreLocation(
          journal: ReadOnlyJournal(try openToRead(url)), text: "in PostgreSQL, opened read-only")
      }
      #if PostgreSQL
        return StoreLocation(
          journal: try PostgresJournal(url),
          text: "in PostgreSQL: answers survive a power cut")
      #else
        throw noPostgreSQL
      #endif
    }

    /// Opens a database for reading, without becoming a node.
    @Sendable static func openToRead(_ url: String) throws(JournalError) -> any KeptJournal {
      #if PostgreSQL
        try PostgresReader(url)
      #else
        throw noPostgreSQL
      #endif
    }

    #if !PostgreSQL
      private static var noPostgreSQL: JournalError {
        JournalError(
          .failed,
          "this moonlatch-serve was built without PostgreSQL: name a file, or install libpq-dev and build it with "
            + "the trait PostgreSQL.")
      }
    #endif
  }

  /// The error of a request that cannot be met.
  struct LocationError: Error, CustomStringConvertible { let description: String }
#endif
