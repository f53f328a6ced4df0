/// A Lua text under construction, whose parts stand on given lines as far as possible.
struct LuaText {
  private(set) var text = ""
  private(set) var line = 1

  /// Appends a part, on the given line if the text has not passed it.
  mutating func put(_ part: String, at line: Int? = nil) {
    if let line, line > self.line {
      text += String(repeating: "\n", count: line - self.line)
      self.line = line
    }
    text += part
    text += " "
    for byte in part.utf8 where byte == 10 { self.line += 1 }
  }

  /// Returns a text without XML whitespace at its ends.
  static func trimmed(_ text: String) -> String {
    guard let first = text.utf8.firstIndex(where: { !isBlank($0) }),
      let last = text.utf8.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(text[first...last])
  }

  /// Returns the words of a text, separated by XML whitespace.
  static func words(_ text: String) -> [Substring] {
    text.utf8.split(whereSeparator: isBlank).map { Substring($0) }
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 10 || byte == 9 || byte == 13
  }

  /// Returns true if the text may contain a Lua comment.
  static func mayHaveComment(_ text: String) -> Bool {
    var last: UInt8 = 0
    for byte in text.utf8 {
      if byte == 45, last == 45 { return true }
      last = byte
    }
    return false
  }

  /// Returns true for a short name or whole number, which needs no syntax check.
  static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count < 15 else { return false }
    if (48...57).contains(first) { return text.utf8.allSatisfy { (48...57).contains($0) } }
    return isName(text) && !reserved.contains(text)
  }

  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == 95 || (65...90).contains(byte) || (97...122).contains(byte)
  }

  private static let reserved: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// Returns a text as a quoted Lua string.
  static func quoted(_ text: String) -> String {
    var quoted: [UInt8] = [34]
    quoted.reserveCapacity(text.utf8.count + 2)
    for byte in text.utf8 {
      switch byte {
      case 34, 92: quoted += [92, byte]
      case 10: quoted += "\\n".utf8
      case 13: quoted += "\\r".utf8
      case 32..<127: quoted.append(byte)
      default: quoted += ("\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
      }
    }
    quoted.append(34)
    return String(decoding: quoted, as: UTF8.self)
  }

  /// Returns a text with one blank between its words, and none around them.
  static func spaced(_ text: String) -> String {
    var spaced: [UInt8] = []
    spaced.reserveCapacity(text.utf8.count)
    var isBehindBlank = false
    for byte in text.utf8 {
      if isBlank(byte) {
        isBehindBlank = !spaced.isEmpty
      } else {
        if isBehindBlank { spaced.append(32) }
        isBehindBlank = false
        spaced.append(byte)
      }
    }
    return String(decoding: spaced, as: UTF8.self)
  }
}
