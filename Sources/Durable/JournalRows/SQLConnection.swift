import FlowKernel

/// A connection to a database in which the rows of a journal are; for one thread at a time.
///
/// What is asked is the same for all of them, with `?` or `?1` for what is bound.
package protocol SQLConnection: AnyObject {
  /// What messages call the journal.
  var path: String { get }
  /// How many rows the last statement has changed.
  var changes: Int { get }
  /// What a query ends with whose row is to be written next: others wait for it then.
  var rowLock: String { get }

  /// Whether a transaction is over as soon as a statement of it has failed.
  var failsAsWhole: Bool { get }

  /// Runs a statement, and reads each row that it gives.
  func each(
    _ sql: String, _ fields: [Field], _ read: (any SQLRow) throws(JournalError) -> Void
  ) throws(JournalError)

  /// Does something with all that it reads from one moment.
  func reading<T>(_ body: () throws(JournalError) -> T) throws(JournalError) -> T

  /// Does something as a whole: when it returns, the disk has it.
  func writing<T>(_ body: () throws(JournalError) -> T) throws(JournalError) -> T

  /// The faults that the database itself finds in its tables, or in one of them, as sentences.
  func faults(of table: String?) throws(JournalError) -> [String]
}

/// What can be bound to a statement.
package enum Field {
  case integer(Int?)
  case text(String)
  case bytes([UInt8]?)
}

/// A row of a statement, while it is the present one.
package protocol SQLRow {
  func integer(_ column: Int32) -> Int
  func isNull(_ column: Int32) -> Bool
  func text(_ column: Int32) -> String
  func bytes(_ column: Int32) -> [UInt8]
}

extension SQLRow {
  package func optional(_ column: Int32) -> Int? { isNull(column) ? nil : integer(column) }
}

extension SQLConnection {
  /// Runs a statement that gives no rows.
  package func run(_ sql: String, _ fields: Field...) throws(JournalError) {
    try each(sql, fields) { (_) throws(JournalError) in }
  }

  package func each(
    _ sql: String, _ read: (any SQLRow) throws(JournalError) -> Void
  ) throws(JournalError) {
    try each(sql, [], read)
  }

  /// The first row of a statement.
  package func row<T>(
    _ sql: String, _ fields: Field..., read: (any SQLRow) throws(JournalError) -> T
  ) throws(JournalError) -> T? {
    var found: T?
    try each(sql, fields) { (row) throws(JournalError) in if found == nil { found = try read(row) }
    }
    return found
  }

  /// All rows of a statement.
  package func rows<T>(
    _ sql: String, _ fields: Field..., read: (any SQLRow) throws(JournalError) -> T
  ) throws(JournalError) -> [T] {
    var found: [T] = []
    try each(sql, fields) { (row) throws(JournalError) in found.append(try read(row)) }
    return found
  }
}
