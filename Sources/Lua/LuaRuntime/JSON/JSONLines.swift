/// Objects from outside, a line each.
///
/// Lines end as they do anywhere; empty ones say nothing.
package struct JSONLines {
  /// What is not as it has to be, and where.
  package struct Malformed: Error {
    /// Counted from 1.
    package let line: Int
    /// The byte of the line, counted from 1.
    package let column: Int
    /// Whether the line is no JSON at all.
    package let isNoJSON: Bool
    /// A sentence.
    package let reason: String
  }

  private var rest: Substring.UTF8View
  private var text = ""[...].utf8
  /// The number of the line that was read last.
  package private(set) var line = 0

  package init(_ text: String) { rest = text[...].utf8 }

  /// The next line that is not empty; nil at the end.
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
          reason: "this is no JSON: \(error.reason)")
      }
    }
    return nil
  }

  /// Where a field of the line that was read last stands, with what is wrong with it.
  package func malformed(_ mistake: OutsideFields.Malformed) -> Malformed {
    Malformed(
      line: line, column: JSONText.column(of: mistake.path, in: text), isNoJSON: false,
      reason: mistake.reason)
  }
}
