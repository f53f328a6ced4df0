/// A line of a source text with its neighbours, as a report shows where something happened.
package enum SourceLines {
  /// The longest line that is shown whole.
  private static let longest = 200

  /// The line, the one before and the one after, numbered, the line itself marked.
  ///
  /// Nothing if the text has no such line. The end of the text is shown as its last line.
  package static func around(_ line: Int, of text: String) -> [String] {
    LineStarts(of: text).around(line)
  }

  /// All lines of a text, for whoever asks for many.
  package static func all(of text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// The same of lines that are known.
  package static func around(_ line: Int, of lines: [Substring]) -> [String] {
    guard line > 0 else { return [] }
    let line = min(line, max(lines.count, line - 1))  // "near <eof>" is on the line after the last
    guard lines.indices.contains(line - 1) else { return [] }
    let first = max(1, line - 1)
    return around(line, of: Array(lines[first - 1..<min(lines.count, line + 1)]), from: first)
  }

  /// The same of the lines from a number on, which are all shown.
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
    // A line may be a whole document: all of it is not counted.
    return line.prefix(longest + 1).count > longest
      ? line.prefix(longest) + "..." : String(line)
  }
}
