/// The reason why a document cannot be read any further, and its position.
package struct XMLError: Error, Hashable, CustomStringConvertible {
  /// The line, counted from 1.
  package let line: Int
  /// The column in bytes, counted from 1.
  package let column: Int
  /// The description of the error, as a clause.
  package let reason: String

  package var description: String { "line \(line), column \(column): \(reason)" }
}
