import CSQLite
import FlowKernel
import JournalRows
import Platform

/// A connection to the database with its prepared statements, for one thread at a time.
final class Connection: SQLConnection {
  let path: String
  private var database: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]
  /// The number of pages in the log after the last commit.
  private(set) var pages = 0
  /// True if the disk has failed: the connection must not be used again.
  private(set) var isBroken = false
  /// A second place that stores the number of the last commit.
  var mark: CommitMark?
  private var inode: Inode?
  /// The time at which the current step is interrupted.
  private var deadline = ContinuousClock.now
  private let stepPatience: Duration

  /// The longest time to wait for another program that has locked the file, in milliseconds.
  private static let patience: Int32 = 5_000
  /// The longest value that is read or written, in bytes: no memory is reserved for a column that claims to be longer.
  static let longestValue = 64 << 20
  /// The number of virtual machine operations of SQLite between two checks of the deadline.
  private static let operations: Int32 = 20_000

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - options: the options of a URI for the file, for which there is no flag; nil for a plain path.
  ///   - stepPatience: the longest time that one step of a statement may take; nil for one that suits the file's size.
  init(
    path: String, flags: Int32, options: String? = nil, stepPatience: Duration? = nil
  ) throws(JournalError) {
    self.path = path
    self.stepPatience = stepPatience ?? Self.patience(with: path)
    var name = path
    if let options {
      let quoted = path.utf8.map { byte in
        let isPlain =
          UInt8(ascii: "/") == byte || Character(Unicode.Scalar(byte)).isLetter && byte < 128
        return isPlain
          ? String(Unicode.Scalar(byte)) : "%" + String(0x100 + Int(byte), radix: 16).dropFirst()
      }
      name = "file:\(quoted.joined())?\(options)"
    }
    let code = sqlite3_open_v2(name, &database, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let database else {
      let error = error(code, "opening it")
      close()
      throw error
    }
    inode = DatabaseFiles.opened(path)
    sqlite3_extended_result_codes(database, 1)
    sqlite3_busy_timeout(database, Self.patience)
    set(SQLITE_DBCONFIG_DEFENSIVE, true)
    set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Int32(Self.longestValue))
    sqlite3_progress_handler(
      database, Self.operations,
      { context in
        guard let context else { return 0 }
        let this = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        return ContinuousClock.now > this.deadline ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Returns the longest time that one step of a statement may take, which depends on the file's size.
  ///
  /// Pages of a damaged file may form a cycle. The integrity check of a whole file is one step.
  private static func patience(with path: String) -> Duration {
    var status = stat()
    let size = stat(path, &status) == 0 ? Int(status.st_size) : 0
    return .seconds(30 + size >> 23)
  }

  /// Starts counting `pages`.
  ///
  /// Setting `wal_autocheckpoint` afterwards would stop it, because SQLite uses the same hook for that.
  func countPages() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      database,
      { connection, _, _, pages in
        if let connection {
          Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().pages = Int(pages)
        }
        return SQLITE_OK
      }, this)
  }

  deinit { close() }

  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(database)
    database = nil
    mark = nil
    if let inode { DatabaseFiles.closed(inode) }
    inode = nil
  }

  /// Opens the file alone, without locks and without its log.
  static func immutable(_ path: String) throws(JournalError) -> Connection {
    try Connection(
      path: path, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, options: "immutable=1")
  }

  func set(_ option: Int32, _ isOn: Bool) {
    if let database { _ = csqlite_set(database, option, isOn ? 1 : 0) }
  }

  /// True if a transaction is open: an error of the disk may have ended it.
  var isInTransaction: Bool { database.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// The number of rows that the last statement has changed.
  var changes: Int { database.map { Int(sqlite3_changes64($0)) } ?? 0 }

  // MARK: Statements

  func each(
    _ sql: String, _ fields: [Field], _ read: (any SQLRow) throws(JournalError) -> Void
  ) throws(JournalError) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, field) in fields.enumerated() {
      let code = bind(field, to: statement, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw error(code, "writing to it") }
    }
    while true {
      deadline = .now + stepPatience
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw error(code, "using it") }
      try read(Row(statement: statement))
    }
  }

  private func prepared(_ sql: String) throws(JournalError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code, "reading its tables") }
    statements[sql] = statement
    return statement
  }

  private func bind(_ field: Field, to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch field {
    case .integer(let number?): return sqlite3_bind_int64(statement, index, Int64(number))
    case .integer(nil), .bytes(nil): return sqlite3_bind_null(statement, index)
    case .text(var text):
      return text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text(statement, index, $0.baseAddress, Int32($0.count))
        }
      }
    case .bytes(let bytes?):
      return bytes.withUnsafeBytes {
        csqlite_bind_blob(statement, index, $0.baseAddress, UInt64($0.count))
      }
    }
  }

  /// There is only one writer, so that no row has to be locked.
  let rowLock = ""
  let freeRowLock = ""
  let failsAsWhole = false

  func faults(of table: String?) throws(JournalError) -> [String] {
    try rows("PRAGMA integrity_check(\(table ?? "10"))") { $0.text(0) }.filter { $0 != "ok" }
  }

  // MARK: Transactions

  /// Runs `body` in a read transaction, in which all reads see one state of the database.
  func reading<T>(_ body: () throws(JournalError) -> T) throws(JournalError) -> T {
    try run("BEGIN")
    do throws(JournalError) {
      let result = try body()
      endReading()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Ends a transaction that has changed nothing; COMMIT fails if it has met a damaged page.
  private func endReading() {
    do throws(JournalError) { try run("COMMIT") } catch { rollback() }
  }

  /// Runs `body` in a transaction, which is a commit of the journal and is durable when this returns.
  func writing<T>(_ body: () throws(JournalError) -> T) throws(JournalError) -> T {
    try run("BEGIN IMMEDIATE")
    do throws(JournalError) {
      let result = try body()
      let commits = try JournalStamp.count(on: self)
      try run("COMMIT")
      if let commits { mark?.write(commits) }
      return result
    } catch {
      rollback()
      throw error
    }
  }

  private func rollback() {
    if isInTransaction { try? run("ROLLBACK") }
  }

  /// Moves the contents of the log into the database.
  ///
  /// - Parameter isPatient: true to wait for readers.
  /// - Returns: the number of pages that stay in the log because a reader still needs them.
  @discardableResult
  func checkpoint(
    truncating: Bool, isPatient: Bool = false
  ) throws(JournalError) -> Int {
    guard let database else { return 0 }
    sqlite3_busy_timeout(database, isPatient ? Self.patience : 0)
    defer { sqlite3_busy_timeout(database, Self.patience) }
    var (all, done): (Int32, Int32) = (0, 0)
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    let code = sqlite3_wal_checkpoint_v2(database, nil, mode, &all, &done)
    if code & 0xff == SQLITE_BUSY || code & 0xff == SQLITE_LOCKED { return Int(max(1, all)) }
    guard code == SQLITE_OK else { throw error(code, "taking the log into it") }
    return Int(max(0, all - done))
  }

  // MARK: Errors

  /// Makes the journal error for a code of SQLite.
  private func error(_ code: Int32, _ doing: String) -> JournalError {
    var reason = database.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
    let system = database.map { sqlite3_system_errno($0) } ?? 0
    let kind: JournalError.Kind
    var advice = ""
    switch code & 0xff {
    case SQLITE_FULL:
      kind = .full
      advice = ": nothing was stored; free some space, and writing continues"
    case SQLITE_CORRUPT: kind = .damaged
    case SQLITE_NOTADB: kind = .unreadable
    case SQLITE_CONSTRAINT: kind = .damaged  // what could be in the way was asked before
    case SQLITE_TOOBIG:
      kind = .failed
      advice = ": no value has more than \(Self.longestValue >> 20) MB"
    case SQLITE_INTERRUPT:
      kind = .damaged
      reason = "nothing was found within \(stepPatience)"
      advice = ": its pages form a cycle, or the disk is very slow"
    case SQLITE_BUSY, SQLITE_LOCKED:
      kind = .failed
      advice = ": another program writes to it"
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      kind = .failed
      isBroken = true
      if system != 0 { reason += ", \(String(cString: strerror(system)))" }
      if code & 0xff == SQLITE_IOERR { reason += " (\(code))" }
    default:
      kind = .failed
      isBroken = true
    }
    return JournalError(kind, "\(path): \(doing) failed: \(reason)\(advice).")
  }
}

/// Options of a connection.
enum SQLiteOption {
  /// The last connection that closes leaves the log as it is.
  static let keepsLogOnClose = SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
  /// Opens the file for reading and writing.
  static let writes = SQLITE_OPEN_READWRITE
}

/// The current row of a statement.
struct Row: SQLRow {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
    let count = Int(sqlite3_column_bytes(statement, column))
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
