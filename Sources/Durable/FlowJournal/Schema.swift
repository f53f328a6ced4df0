import CSQLite
import FlowKernel
import JournalRows
import Platform

/// The tables of a journal, and the settings of a connection to them.
enum Schema {
  /// "MLJ1", in the header of the file.
  static let application = 0x4d4c_4a31
  /// The version of the tables below.
  static let version = 5

  // A case's row is in "life", because "case" is a keyword of SQL.
  private static let tables = [
    // The first one, so that its root is page 2: see JournalStamp.
    """
    CREATE TABLE journal(\(JournalStamp.columns), flow TEXT, former TEXT NOT NULL DEFAULT '',
      sum INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE flow(id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL,
      version INTEGER NOT NULL, texts BLOB NOT NULL, sum INTEGER NOT NULL, UNIQUE(name, hash)) STRICT
    """,
    """
    CREATE TABLE life(id TEXT PRIMARY KEY, flow INTEGER NOT NULL REFERENCES flow,
      born_us INTEGER NOT NULL, seed TEXT NOT NULL, first INTEGER NOT NULL, base INTEGER NOT NULL,
      seq INTEGER NOT NULL, chain INTEGER NOT NULL, fence INTEGER NOT NULL,
      revision INTEGER NOT NULL, wall_us INTEGER NOT NULL, due_us INTEGER, machines TEXT NOT NULL,
      ended_us INTEGER, sum INTEGER NOT NULL, acks INTEGER NOT NULL, acks_sum INTEGER NOT NULL,
      snaps INTEGER NOT NULL, snaps_sum INTEGER NOT NULL) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX life_due ON life(due_us) WHERE due_us IS NOT NULL",
    """
    CREATE TABLE entry(life TEXT NOT NULL, seq INTEGER NOT NULL, flow INTEGER NOT NULL,
      wall_us INTEGER NOT NULL, revision INTEGER NOT NULL, chain INTEGER NOT NULL,
      sum INTEGER NOT NULL, body BLOB, PRIMARY KEY(life, seq)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE snapshot(life TEXT NOT NULL, seq INTEGER NOT NULL, flow INTEGER NOT NULL,
      sum INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY(life, seq)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE ack(life TEXT NOT NULL, key TEXT NOT NULL, seq INTEGER NOT NULL,
      request BLOB NOT NULL, revision INTEGER NOT NULL, wall_us INTEGER NOT NULL,
      sum INTEGER NOT NULL, PRIMARY KEY(life, key)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE stands(machine TEXT NOT NULL, state TEXT NOT NULL, life TEXT NOT NULL,
      PRIMARY KEY(machine, state, life)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE task(n INTEGER PRIMARY KEY AUTOINCREMENT, life TEXT NOT NULL,
      effect INTEGER NOT NULL, position TEXT NOT NULL, call TEXT NOT NULL, scope TEXT NOT NULL,
      key BLOB NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL, queue TEXT NOT NULL, once INTEGER NOT NULL,
      arguments BLOB NOT NULL, opened_us INTEGER NOT NULL, deadline_us INTEGER,
      state INTEGER NOT NULL, free_us INTEGER, answered_us INTEGER, try INTEGER NOT NULL,
      attempt INTEGER NOT NULL, lost INTEGER NOT NULL, token TEXT, worker TEXT, error TEXT,
      answer BLOB, sum INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX task_free ON task(queue, free_us, n) WHERE free_us IS NOT NULL",
    "CREATE UNIQUE INDEX task_open ON task(call) WHERE state < 5",
    "CREATE INDEX task_call ON task(call, n)",
    "CREATE INDEX task_life ON task(life, state)",
    "CREATE INDEX task_deadline ON task(deadline_us) WHERE deadline_us IS NOT NULL",
    "CREATE INDEX task_once ON task(free_us) WHERE once = 1 AND state = 1",
    "CREATE INDEX task_answered ON task(answered_us, n) WHERE state = 3",
    "CREATE INDEX task_ended ON task(state, answered_us) WHERE state > 4",
    "PRAGMA application_id = \(application)",
    "PRAGMA user_version = \(version)",
  ]

  /// Opens a journal for writing, and creates its tables if there are none.
  ///
  /// - Throws: `JournalError` if it is not a journal, its log belongs to another file, or acknowledged
  ///   commits are missing.
  static func open(_ path: String, _ durability: SQLiteJournal.Durability) throws(JournalError)
    -> Connection
  {
    let own = try WriteAheadLog.check(of: path)
    let connection = try Connection(path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    // A refused file must stay as it is.
    connection.set(SQLiteOption.keepsLogOnClose, true)
    let isEmpty = try !isJournal(connection)
    if isEmpty {
      try expectNothing(of: path)
    } else {
      try expectAll(of: connection, own)
    }
    // The page size is fixed by the first write.
    try set(connection, "page_size", to: 4_096, mustBe: nil)
    let mode = try connection.row("PRAGMA journal_mode = WAL") { $0.text(0) }
    guard mode == "wal" else {
      throw JournalError(
        .unsafe, "\(path) cannot be written ahead (it is in mode \(mode ?? "unknown")).")
    }
    let level = durability == .full ? 2 : 1
    try set(connection, "synchronous", to: level, mustBe: level)
    #if canImport(Darwin)
      try set(connection, "fullfsync", to: 1, mustBe: 1)
      try set(connection, "checkpoint_fullfsync", to: 1, mustBe: 1)
    #endif
    try common(connection)
    // Checkpoints are made by the writer, after the waiting callers have been answered.
    try set(connection, "wal_autocheckpoint", to: 0, mustBe: 0)
    connection.countPages()
    if isEmpty {
      try connection.writing { () throws(JournalError) in
        for table in tables { try connection.run(table) }
        let identity = JournalIdentity()
        try connection.run(
          "INSERT INTO journal(id, copy, sum) VALUES(?, ?, ?)", .text(identity.id),
          .text(JournalIdentity.randomID()), .integer(JournalRow.checksum(identity)))
      }
      try JournalLocation.sync(folder: JournalLocation.parts(path).folder)
    }
    connection.set(SQLiteOption.keepsLogOnClose, false)
    if durability == .full, let stamp = try JournalStamp.read(on: connection) {
      connection.mark = try CommitMark(of: path, stamp)
    }
    return connection
  }

  /// Throws if a file without tables once had them in its log; an empty file without a mark is a new journal.
  private static func expectNothing(of path: String) throws(JournalError) {
    guard !WriteAheadLog.isEmpty(path), let mark = try CommitMark.read(of: path) else { return }
    throw WriteAheadLog.loss(of: path, found: 0, acknowledged: mark.commits)
  }

  /// Throws if acknowledged commits are missing in a journal.
  private static func expectAll(
    of connection: Connection, _ own: JournalStamp?
  ) throws(JournalError) {
    let path = connection.path
    let mark = try CommitMark.read(of: path)
    let found = try JournalStamp.read(on: connection)
    try WriteAheadLog.check(found, against: own, of: path)
    if let loss = WriteAheadLog.loss(found, mark, of: path) { throw loss }
  }

  /// Opens a journal for reading.
  static func openToRead(_ path: String) throws(JournalError) -> Connection {
    try JournalFile.expectRegular(path)
    let own = try WriteAheadLog.check(of: path)
    var connection = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
    connection.set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    let isThere: Bool
    do throws(JournalError) {
      isThere = try isJournal(connection)
    } catch {
      // A reader creates files beside the journal. If the folder cannot be written, there is no writer either.
      guard error.kind == .failed, access(JournalLocation.parts(path).folder, W_OK) != 0,
        !JournalLocation.exists(path + "-wal")
      else { throw error }
      connection = try Connection.immutable(path)
      isThere = try isJournal(connection)
    }
    guard isThere else {
      throw JournalError(.unreadable, "\(path) is empty: it is not a journal yet.")
    }
    try WriteAheadLog.check(JournalStamp.read(on: connection), against: own, of: path)
    try common(connection)
    return connection
  }

  private static func common(_ connection: Connection) throws(JournalError) {
    try set(connection, "cell_size_check", to: 1, mustBe: 1)
    try set(connection, "trusted_schema", to: 0, mustBe: 0)
    try set(connection, "mmap_size", to: 0, mustBe: nil)
  }

  /// Changes a setting, and reads it back to make sure of it.
  private static func set(
    _ connection: Connection, _ name: String, to value: Int, mustBe wanted: Int?
  ) throws(JournalError) {
    try connection.run("PRAGMA \(name) = \(value)")
    guard let wanted else { return }
    let found = try connection.row("PRAGMA \(name)") { $0.integer(0) }
    guard found == wanted else {
      throw JournalError(
        .unsafe,
        "\(connection.path): \(name) is \(found.map(String.init) ?? "not known") here, not \(wanted): "
          + "the journal could lose what it has acknowledged.")
    }
  }

  /// Returns true if the file is a journal that this version of Moonlatch reads, and false if it is empty.
  ///
  /// - Throws: `JournalError` if it is anything else.
  private static func isJournal(_ connection: Connection) throws(JournalError) -> Bool {
    let path = connection.path
    let found: (Int?, Int?, Int?)
    do throws(JournalError) {
      found.0 = try connection.row("PRAGMA application_id") { $0.integer(0) }
      found.1 = try connection.row("PRAGMA user_version") { $0.integer(0) }
      found.2 = try connection.row("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
    } catch  where error.kind == .unreadable {
      throw JournalError(
        .unreadable, "\(path) is not a journal: give the journal a file of its own.")
    }
    if found == (0, 0, 0) { return false }
    guard found.0 == application else {
      throw JournalError(
        .unreadable,
        "\(path) is a database of another program, not a journal: give the journal a file of its own."
      )
    }
    guard found.1 == version else {
      throw JournalError.otherTables(path, found.1 ?? 0, known: version)
    }
    try expectTables(of: connection)
    return true
  }

  // MARK: What is defined in the file

  /// Throws if a file defines anything else than the tables of a journal: a view or a trigger is a program
  /// that could do anything.
  static func expectTables(of connection: Connection) throws(JournalError) {
    let written = try definitions.get()
    let found = try definitions(in: connection)
    let foreign = found.keys.sorted().first { written[$0] != found[$0] }
    if let name = foreign {
      throw JournalError(
        .unreadable,
        "\(connection.path) defines \(name)\(written[name] == nil ? ", which is none of a journal's" : " otherwise than a journal does"): "
          + "nothing of it is used. Remove that, if somebody has added it.")
    }
    if let name = written.keys.sorted().first(where: { found[$0] == nil }) {
      throw JournalError(
        .damaged, "\(connection.path) lacks \(name), so it is not as Moonlatch created it.")
    }
  }

  /// The definitions of a new journal.
  private static let definitions: Result<[String: String], JournalError> = {
    do throws(JournalError) {
      let connection = try Connection(
        path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      for table in tables { try connection.run(table) }
      return .success(try definitions(in: connection))
    } catch {
      return .failure(error)
    }
  }()

  /// The statistics tables of SQLite's planner, which a tool may have created; they define nothing.
  private static let figures = [
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
  ]

  /// Returns the definitions in a file by kind and name.
  private static func definitions(
    in connection: Connection
  ) throws(JournalError) -> [String: String] {
    let rows = try connection.rows(
      """
      SELECT type || ' "' || name || '"', coalesce(sql, '') FROM sqlite_schema
      """
    ) { ($0.text(0), $0.text(1)) }
    return Dictionary(
      rows.filter { !figures.contains($0.1) }, uniquingKeysWith: { $0 + $1 })
  }
}
