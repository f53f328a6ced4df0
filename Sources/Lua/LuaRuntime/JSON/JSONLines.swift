/// A reader of JSON objects from outside, one per line.
///
/// Blank lines are skipped.
package struct JSONLines {
  /// An error in a line, with its position.
  package struct Malformed: Error {
    /// The line, counted from 1.
    package let line: Int
    /// The byte of the line, counted from 1.
    package let column: Int
    /// True if the line is not JSON; false if it is JSON with a wrong field.
    package let isNoJSON: Bool
    /// The reason, as a sentence.
    package let reason: String
  }

  private var rest: Substring.UTF8View
  private var text = ""[...].utf8
  /// The number of the latest line.
  package private(set) var line = 0

  package init(_ text: String) { rest = text[...].utf8 }

  /// Returns the next line that is not blank; nil at the end.
  package mutating func next() throws(Malformed) -> OutsideFields? {
    while !rest.isEmpty {
      text = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[text.endIndex...].dropFirst()
      line += 1
      if text.allSatisfy({ $0 == 32 || (9...13).contains($0) }) { continue }
      do {
        return OutsideFields(try JSONText.value(of: text))
      } catch {
        throw Malformed(
          line: line, column: error.column, isNoJSON: true,
          reason: "this is not JSON: \(error.reason)")
      }
    }
    return nil
  }

  /// Returns the error of a field, with its position in the latest line.
  package func malformed(_ mistake: OutsideFields.Malformed) -> Malformed {
    Malformed(
      line: line, column: JSONText.column(of: mistake.path, in: text), isNoJSON: false,
      reason: mistake.reason)
  }
}
