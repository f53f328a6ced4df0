/// Why a document cannot be read any further, and where.
package struct XMLError: Error, Hashable, CustomStringConvertible {
  /// The line, counted from 1.
  package let line: Int
  /// The column in bytes, counted from 1.
  package let column: Int
  /// What is wrong, as a clause.
  package let reason: String

  package var description: String { "line \(line), column \(column): \(reason)" }
}
