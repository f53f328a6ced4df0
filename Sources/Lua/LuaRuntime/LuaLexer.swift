/// A lexer that splits Lua source into tokens.
///
/// It never fails. It continues after text that is no token of Lua, and stores the first such place in `fault`. An
/// unfinished string ends with its line, an unfinished comment with the text.
package struct LuaLexer {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var lineStart = 0
  private(set) package var tokens: [LuaToken] = []
  private(set) package var comments: [LuaComment] = []
  /// The first place that is no token of Lua, with the reason.
  private(set) package var fault: LuaSyntaxError?

  package init(_ text: String) {
    bytes = Array(text.utf8)
    while position < bytes.count { next() }
  }

  private mutating func next() {
    let byte = bytes[position]
    switch byte {
    case 10, 13: skipLineBreak()
    case UInt8(ascii: " "), 9, 11, 12: position += 1
    case UInt8(ascii: "\""), UInt8(ascii: "'"): readQuoted(byte)
    case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"): readComment()
    case UInt8(ascii: "["):
      if let level = longBracketLevel(at: position) {
        let start = place
        add(.string, readLong(level), at: start)
      } else {
        if peek(1) == UInt8(ascii: "=") { fail("invalid long string delimiter") }
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

  private typealias Place = (line: Int, column: Int)

  private var place: Place { (line, position - lineStart + 1) }

  private mutating func add(_ kind: LuaToken.Kind, _ text: String, at place: Place) {
    tokens.append(LuaToken(kind: kind, text: text, line: place.line, column: place.column))
  }

  private mutating func fail(_ message: String) {
    if fault == nil { fault = LuaSyntaxError(message: message, line: line) }
  }

  /// Skips a line break: either character, or both in either order.
  private mutating func skipLineBreak() {
    let first = bytes[position]
    position += 1
    if let second = peek(0), second == 10 || second == 13, second != first { position += 1 }
    line += 1
    lineStart = position
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  // MARK: Words

  private mutating func readName() {
    let (start, place) = (position, place)
    while let byte = peek(0), LuaLexer.isLetter(byte) || LuaLexer.isDigit(byte) { position += 1 }
    let word = text(start..<position)
    add(LuaToken.keywords.contains(word) ? .keyword : .name, word, at: place)
  }

  private mutating func readNumber() {
    let (start, place) = (position, place)
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
    let word = text(start..<position)
    if !LuaLexer.isNumber(bytes[start..<position]) { fail("malformed number near '\(word)'") }
    add(.number, word, at: place)
  }

  private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
    var rest = word
    let isHexadecimal =
      word.count > 1 && word.first == 48 && word[word.startIndex + 1] | 0x20 == 120
    if isHexadecimal { rest = rest.dropFirst(2) }
    let isPart = isHexadecimal ? isHexadecimalDigit : isDigit
    let whole = rest.prefix(while: isPart).count
    rest = rest.dropFirst(whole)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix(while: isPart).count
      rest = rest.dropFirst(fraction + 1)
    }
    guard whole + fraction > 0 else { return false }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: isHexadecimal ? "p" : "e") {
      rest = rest.dropFirst()
      if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      return !rest.isEmpty && rest.allSatisfy(isDigit)
    }
    return rest.isEmpty
  }

  private static let symbols = ["...", "..", "::", "==", "~=", "<=", ">=", "//", "<<", ">>"]

  private mutating func readSymbol() {
    for symbol in LuaLexer.symbols where starts(with: symbol) {
      add(.symbol, symbol, at: place)
      position += symbol.utf8.count
      return
    }
    add(.symbol, text(position..<position + 1), at: place)
    position += 1
  }

  private func starts(with symbol: String) -> Bool {
    bytes[position...].starts(with: symbol.utf8)
  }

  // MARK: Strings and comments

  private mutating func readQuoted(_ quote: UInt8) {
    let start = place
    var content: [UInt8] = []
    position += 1
    while let byte = peek(0), byte != quote, byte != 10, byte != 13 {
      position += 1
      if byte == UInt8(ascii: "\\") { readEscape(into: &content) } else { content.append(byte) }
    }
    if peek(0) == quote { position += 1 } else { fail("unfinished string") }
    add(.string, String(decoding: content, as: UTF8.self), at: start)
  }

  /// The characters that one-letter escapes stand for.
  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10,
    UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "v"): 11, UInt8(ascii: "\\"): 92,
    UInt8(ascii: "\""): 34, UInt8(ascii: "'"): 39,
  ]

  private mutating func readEscape(into content: inout [UInt8]) {
    guard let byte = peek(0) else { return }
    if let character = LuaLexer.escapes[byte] {
      position += 1
      content.append(character)
      return
    }
    switch byte {
    case 10, 13:
      skipLineBreak()
      content.append(10)
    case UInt8(ascii: "z"):
      position += 1
      while let space = peek(0), space == 32 || (9...13).contains(space) {
        if space == 10 || space == 13 { skipLineBreak() } else { position += 1 }
      }
    case UInt8(ascii: "x"):
      position += 1
      let digits = hexadecimalDigits(atMost: 2)
      if digits.count < 2 { fail("hexadecimal digit expected") }
      content.append(UInt8(digits, radix: 16) ?? 0)
    case UInt8(ascii: "u"):
      position += 1
      readCodePoint(into: &content)
    case _ where LuaLexer.isDigit(byte):
      let start = position
      while position < start + 3, let digit = peek(0), LuaLexer.isDigit(digit) { position += 1 }
      if let value = UInt8(text(start..<position)) {
        content.append(value)
      } else {
        fail("decimal escape too large")
      }
    default:
      position += 1
      fail("invalid escape sequence '\\\(text(position - 1..<position))'")
      content += [UInt8(ascii: "\\"), byte]
    }
  }

  private mutating func hexadecimalDigits(atMost most: Int) -> String {
    let start = position
    while position - start < most, let digit = peek(0), LuaLexer.isHexadecimalDigit(digit) {
      position += 1
    }
    return text(start..<position)
  }

  /// Reads the `{XXX}` of `\u{XXX}`.
  private mutating func readCodePoint(into content: inout [UInt8]) {
    guard peek(0) == UInt8(ascii: "{") else { return fail("missing '{' in \\u{xxxx}") }
    position += 1
    let digits = hexadecimalDigits(atMost: .max).drop { $0 == "0" }
    if digits.isEmpty && bytes[position - 1] == UInt8(ascii: "{") {
      fail("hexadecimal digit expected")
    }
    guard peek(0) == UInt8(ascii: "}") else { return fail("missing '}' in \\u{xxxx}") }
    position += 1
    let code = digits.isEmpty ? 0 : UInt32(digits, radix: 16) ?? .max
    if code > 0x7FFF_FFFF { fail("UTF-8 value too large") }
    if let scalar = Unicode.Scalar(code) { content += Array(String(Character(scalar)).utf8) }
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
    while let byte = peek(0), byte != 10, byte != 13 { position += 1 }
  }

  /// Returns the number of equals signs of a long bracket that opens at a position; nil if none does.
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
    while position < bytes.count {
      if bytes[position] == closing[0], bytes[position...].starts(with: closing) { break }
      if bytes[position] == 10 || bytes[position] == 13 { skipLineBreak() } else { position += 1 }
    }
    let content = text(begin..<position)
    if position == bytes.count { fail("unfinished long string or comment") }
    position = min(position + closing.count, bytes.count)
    return content
  }

  // MARK: Bytes

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (97...102).contains(byte | 0x20)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == 95 || (65...90).contains(byte) || (97...122).contains(byte)
  }
}
