/// The positions at which the lines of a text begin, stored for repeated lookups.
struct LineStarts: Sendable {
  private let text: String
  /// The byte offset of each line.
  private let starts: [Int]
  /// The length of the text in bytes, without the break that ends its last line.
  private let length: Int

  init(of text: String) {
    var text = text
    text.makeContiguousUTF8()
    var starts = [0]
    var before: UInt8 = 0
    for (place, byte) in text.utf8.enumerated() {
      // "\r\n" ends no line here: it is a single character where `SourceLines.all` splits lines.
      if byte == UInt8(ascii: "\n"), before != UInt8(ascii: "\r") { starts.append(place + 1) }
      before = byte
    }
    let endsLine = starts.last == text.utf8.count
    if endsLine { starts.removeLast() }
    length = text.utf8.count - (endsLine && !text.isEmpty ? 1 : 0)
    (self.text, self.starts) = (text, starts)
  }

  /// Returns the line before a line, the line itself, and the line after it unless that is empty.
  func around(_ line: Int) -> [String] {
    guard line > 0 else { return [] }
    let line = min(line, max(starts.count, line - 1))  // "near <eof>" is on the line after the last
    guard starts.indices.contains(line - 1) else { return [] }
    let first = max(1, line - 1)
    var lines = (first...min(starts.count, line + 1)).map(self.line)
    if first + lines.count - 1 > line, lines.last?.isEmpty == true { lines.removeLast() }
    return SourceLines.around(line, of: lines, from: first)
  }

  private func line(_ number: Int) -> Substring {
    let isLast = number == starts.count
    let end = isLast ? length : starts[number] - 1
    return text[index(starts[number - 1])..<index(end)]
  }

  private func index(_ byte: Int) -> String.Index {
    text.utf8.index(text.startIndex, offsetBy: byte)
  }
}
