/// Rows that do not change any more.
///
/// They are read without counting references, which would take most of the time of a move: whoever
/// makes a table frees it, and nobody reads it longer.
package struct Table<Row: Sendable>: @unchecked Sendable, RandomAccessCollection {
  private let rows: UnsafeMutableBufferPointer<Row>

  init(_ rows: [Row]) {
    self.rows = .allocate(capacity: rows.count)
    _ = self.rows.initialize(from: rows)
  }

  func free() {
    rows.deinitialize()
    rows.deallocate()
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { rows.count }

  package subscript(index: Int) -> Row {
    precondition(index >= 0 && index < rows.count)
    return rows[index]
  }
}
