/// Excerpts of source texts: a line with its neighbours, as reports show it.
package enum SourceLines {
  /// The maximum number of characters shown of a line.
  private static let longest = 200

  /// Returns the line, the one before and the one after, numbered, with the line itself marked.
  ///
  /// Returns nothing if the text has no such line. The line after the last is shown as the last.
  package static func around(_ line: Int, of text: String) -> [String] {
    LineStarts(of: text).around(line)
  }

  /// Splits a text into its lines, for callers that need many excerpts.
  package static func all(of text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// Returns the excerpt around a line of a text that is already split into lines.
  package static func around(_ line: Int, of lines: [Substring]) -> [String] {
    guard line > 0 else { return [] }
    let line = min(line, max(lines.count, line - 1))  // "near <eof>" is on the line after the last
    guard lines.indices.contains(line - 1) else { return [] }
    let first = max(1, line - 1)
    return around(line, of: Array(lines[first - 1..<min(lines.count, line + 1)]), from: first)
  }

  /// Returns the given lines as an excerpt, numbered from `first` on.
  static func around(_ line: Int, of lines: [Substring], from first: Int) -> [String] {
    let width = String(first + lines.count - 1).count
    return lines.enumerated().map { place, text in
      let number = String(first + place)
      let padding = String(repeating: " ", count: width - number.count)
      return "\(first + place == line ? ">" : " ") \(padding)\(number) | \(shown(text))"
    }
  }

  private static func shown(_ line: Substring) -> String {
    let line = line.last == "\r" ? line.dropLast() : line
    // The line may be a whole document, so not all of it is counted.
    return line.prefix(longest + 1).count > longest
      ? line.prefix(longest) + "..." : String(line)
  }
}
