import FlowKernel

/// A connection to a database with the rows of a journal, for one thread at a time.
///
/// Queries are the same for all databases, with `?` or `?1` for bound values.
package protocol SQLConnection: AnyObject {
  /// The name of the journal in messages.
  var path: String { get }
  /// The number of rows that the last statement has changed.
  var changes: Int { get }
  /// The end of a query that locks the rows it reads until the end of the transaction.
  var rowLock: String { get }
  /// The end of a query that locks the rows it reads, and leaves out those that another transaction has locked.
  var freeRowLock: String { get }

  /// True if a transaction is over as soon as one of its statements has failed.
  var failsAsWhole: Bool { get }

  /// Runs a statement, and calls `read` with each row of its result.
  func each(
    _ sql: String, _ fields: [Field], _ read: (any SQLRow) throws(JournalError) -> Void
  ) throws(JournalError)

  /// Runs `body` in a read transaction, in which all reads see one state of the database.
  func reading<T>(_ body: () throws(JournalError) -> T) throws(JournalError) -> T

  /// Runs `body` in a transaction, which is durable when this returns.
  func writing<T>(_ body: () throws(JournalError) -> T) throws(JournalError) -> T

  /// Returns a sentence for each fault that the database itself finds in its tables, or in one of them.
  func faults(of table: String?) throws(JournalError) -> [String]
}

/// A value that can be bound to a statement.
package enum Field {
  case integer(Int?)
  case text(String)
  case bytes([UInt8]?)
}

/// The current row of a statement.
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
  /// Runs a statement without a result.
  package func run(_ sql: String, _ fields: Field...) throws(JournalError) {
    try each(sql, fields) { (_) throws(JournalError) in }
  }

  package func each(
    _ sql: String, _ read: (any SQLRow) throws(JournalError) -> Void
  ) throws(JournalError) {
    try each(sql, [], read)
  }

  /// Returns the first row of a statement.
  package func row<T>(
    _ sql: String, _ fields: Field..., read: (any SQLRow) throws(JournalError) -> T
  ) throws(JournalError) -> T? {
    var found: T?
    try each(sql, fields) { (row) throws(JournalError) in if found == nil { found = try read(row) }
    }
    return found
  }

  /// Returns all rows of a statement.
  package func rows<T>(
    _ sql: String, _ fields: Field..., read: (any SQLRow) throws(JournalError) -> T
  ) throws(JournalError) -> [T] {
    var found: [T] = []
    try each(sql, fields) { (row) throws(JournalError) in found.append(try read(row)) }
    return found
  }
}
