/// An array that never changes, in memory that its owner frees.
///
/// Reading it does not count references, which would take most of the time of a microstep: the owner of the table frees
/// it, and nobody reads it later. Other modules also read it in place: generic code that is not inlined would be far
/// slower.
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
