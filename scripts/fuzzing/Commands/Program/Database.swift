import CSQLite
import Foundation

/// A connection to a journal's database by SQLite alone.
final class Database {
  private var connection: OpaquePointer?
  private var limit = Date()

  init?(_ path: String, reads: Bool = false) {
    let flags = reads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else {
      sqlite3_close_v2(connection)
      return nil
    }
    // Written pages stay in the log, if there is one.
    _ = csqlite_set(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    if reads { sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 80 << 20) }
    let this = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      connection, 10_000,
      { context in
        guard let context else { return 0 }
        return Date() > Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().limit ? 1 : 0
      }, this)
  }

  deinit { sqlite3_close_v2(connection) }

  /// Runs statements.
  ///
  /// - Returns: what went wrong; nil for nothing.
  @discardableResult
  func run(_ sql: String, seconds: Double = 5) -> String? {
    limit = Date() + seconds
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    return code == SQLITE_OK ? nil : String(cString: sqlite3_errmsg(connection))
  }

  /// The first column of what a query finds, as text; nil where it fails.
  func texts(_ sql: String) -> [String]? {
    var found: [String] = []
    let isRead = each(sql) { statement in
      found.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
    }
    return isRead ? found : nil
  }

  private func each(_ sql: String, _ body: (OpaquePointer) -> Void) -> Bool {
    limit = Date() + 5
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { return false }
    defer { sqlite3_finalize(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: body(statement)
      case SQLITE_DONE: return true
      default: return false
      }
    }
  }

  private static let tables = [
    "journal": "id", "flow": "id", "life": "id", "entry": "life, seq", "snapshot": "life, seq",
    "ack": "life, key", "stands": "machine, state, life",
  ]

  /// The contents of all rows that a journal keeps, by table; nil where a table cannot be read.
  ///
  /// The number of commits is left out, which counts what changes nothing, too.
  static func content(of path: String) -> [String: UInt64]? {
    guard let database = Database(path, reads: true) else { return nil }
    var found: [String: UInt64] = [:]
    for (table, order) in tables {
      var digest: UInt64 = 0xcbf2_9ce4_8422_2325
      let columns = table == "journal" ? "tag, id, flow, former, sum" : "*"
      let isRead = database.each("SELECT \(columns) FROM \(table) ORDER BY \(order)") {
        for column in 0..<sqlite3_column_count($0) {
          let kind = sqlite3_column_type($0, column)
          digest = (digest ^ UInt64(kind)) &* 0x100_0000_01b3
          let bytes = UnsafeRawBufferPointer(
            start: sqlite3_column_blob($0, column), count: Int(sqlite3_column_bytes($0, column)))
          for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
          digest = (digest ^ UInt64(bytes.count)) &* 0x100_0000_01b3
        }
      }
      guard isRead else { return nil }
      found[table] = digest
    }
    return found
  }
}
