/// Rows that do not change any more.
///
/// They are read without counting references, which would take most of the time of a move: whoever
/// makes a table frees it, and nobody reads it longer. Other modules read them in place too: what is
/// generic and not inlined takes far longer than the reading.
package struct FrozenArray<Row: Sendable>: @unchecked Sendable, RandomAccessCollection {
  @usableFromInline let rows: UnsafeMutableBufferPointer<Row>

  init(_ rows: [Row]) {
    self.rows = .allocate(capacity: rows.count)
    _ = self.rows.initialize(from: rows)
  }

  func free() {
    rows.deinitialize()
    rows.deallocate()
  }

  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { rows.count }
  @inlinable package var count: Int { rows.count }

  @inlinable package subscript(index: Int) -> Row {
    precondition(index >= 0 && index < rows.count)
    return rows[index]
  }
}
