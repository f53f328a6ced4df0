/// Splits Lua source into words.
///
/// It never fails: what is no Lua is left to the compiler, which says why. An unfinished string or
/// comment goes to the end of the text.
package struct LuaLexer {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private(set) package var tokens: [LuaToken] = []
  private(set) package var comments: [LuaComment] = []

  package init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "#") { skipLine() }
    while position < bytes.count { next() }
  }

  private mutating func next() {
    let byte = bytes[position]
    switch byte {
    case UInt8(ascii: "\n"):
      line += 1
      position += 1
    case UInt8(ascii: " "), 9, 11, 12, 13: position += 1
    case UInt8(ascii: "\""), UInt8(ascii: "'"): readQuoted(byte)
    case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"): readComment()
    case UInt8(ascii: "["):
      if let level = longBracketLevel(at: position) {
        let start = line
        add(.string, readLong(level), at: start)
      } else {
        readSymbol()
      }
    case _ where LuaLexer.isDigit(byte): readNumber()
    case UInt8(ascii: ".") where peek(1).map(LuaLexer.isDigit) == true: readNumber()
    case _ where LuaLexer.isLetter(byte): readName()
    default: readSymbol()
    }
  }

  private func peek(_ offset: Int) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private mutating func add(_ kind: LuaToken.Kind, _ text: String, at line: Int) {
    tokens.append(LuaToken(kind: kind, text: text, line: line))
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  // MARK: Words

  private mutating func readName() {
    let start = position
    while let byte = peek(0), LuaLexer.isLetter(byte) || LuaLexer.isDigit(byte) { position += 1 }
    let word = text(start..<position)
    add(LuaToken.keywords.contains(word) ? .keyword : .name, word, at: line)
  }

  private mutating func readNumber() {
    let start = position
    while let byte = peek(0) {
      let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      let follows = position > start ? bytes[position - 1] | 0x20 : 0
      let isHexadecimal =
        start + 1 < position && bytes[start + 1] | 0x20 == UInt8(ascii: "x")
      let exponent = isHexadecimal ? UInt8(ascii: "p") : UInt8(ascii: "e")
      guard
        LuaLexer.isDigit(byte) || LuaLexer.isLetter(byte) || byte == UInt8(ascii: ".")
          || isSign && follows == exponent
      else { break }
      position += 1
    }
    add(.number, text(start..<position), at: line)
  }

  private static let symbols = ["...", "..", "::", "==", "~=", "<=", ">=", "//", "<<", ">>"]

  private mutating func readSymbol() {
    for symbol in LuaLexer.symbols where starts(with: symbol) {
      add(.symbol, symbol, at: line)
      position += symbol.utf8.count
      return
    }
    add(.symbol, text(position..<position + 1), at: line)
    position += 1
  }

  private func starts(with symbol: String) -> Bool {
    bytes[position...].starts(with: symbol.utf8)
  }

  // MARK: Strings and comments

  private mutating func readQuoted(_ quote: UInt8) {
    let start = line
    var content: [UInt8] = []
    position += 1
    while let byte = peek(0), byte != quote, byte != UInt8(ascii: "\n") {
      position += 1
      if byte == UInt8(ascii: "\\") { readEscape(into: &content) } else { content.append(byte) }
    }
    if peek(0) == quote { position += 1 }
    add(.string, String(decoding: content, as: UTF8.self), at: start)
  }

  /// The escapes that names are written with; others stand as they are.
  private mutating func readEscape(into content: inout [UInt8]) {
    guard let byte = peek(0) else { return }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): content.append(10)
    case UInt8(ascii: "t"): content.append(9)
    case UInt8(ascii: "\n"):
      line += 1
      content.append(10)
    case UInt8(ascii: "z"):
      while let space = peek(0), space == 32 || (9...13).contains(space) {
        if space == 10 { line += 1 }
        position += 1
      }
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): content.append(byte)
    default: content += [UInt8(ascii: "\\"), byte]
    }
  }

  private mutating func readComment() {
    let start = line
    position += 2
    if let level = longBracketLevel(at: position) {
      comments.append(LuaComment(text: readLong(level), line: start))
      return
    }
    let begin = position
    skipLine()
    comments.append(LuaComment(text: text(begin..<position), line: start))
  }

  private mutating func skipLine() {
    while let byte = peek(0), byte != UInt8(ascii: "\n") { position += 1 }
  }

  /// The number of equals signs of a long bracket that opens there; nil for none.
  private func longBracketLevel(at start: Int) -> Int? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
    var index = start + 1
    while index < bytes.count, bytes[index] == UInt8(ascii: "=") { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "[") else { return nil }
    return index - start - 1
  }

  private mutating func readLong(_ level: Int) -> String {
    position += level + 2
    let begin = position
    let closing =
      [UInt8(ascii: "]")] + Array(repeating: UInt8(ascii: "="), count: level) + [UInt8(ascii: "]")]
    while position < bytes.count, !bytes[position...].starts(with: closing) {
      if bytes[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
    let content = text(begin..<position)
    position = min(position + closing.count, bytes.count)
    return content
  }

  // MARK: Bytes

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == 95 || (65...90).contains(byte) || (97...122).contains(byte)
  }
}
