/// A Lua text whose parts stand on given lines, as far as they can.
struct LuaText {
  private(set) var text = ""
  private(set) var line = 1

  /// Adds a part, on a line behind all that stands there already.
  mutating func put(_ part: String, at line: Int? = nil) {
    if let line, line > self.line {
      text += String(repeating: "\n", count: line - self.line)
      self.line = line
    }
    text += part
    text += " "
    for byte in part.utf8 where byte == 10 { self.line += 1 }
  }

  /// A text between quotation marks.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for byte in text.utf8 {
      switch byte {
      case 34: quoted += "\\\""
      case 92: quoted += "\\\\"
      case 10: quoted += "\\n"
      case 13: quoted += "\\r"
      case 0..<32: quoted += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      case 32..<127: quoted.unicodeScalars.append(Unicode.Scalar(byte))
      default: quoted += "\\x" + String(byte, radix: 16)
      }
    }
    return quoted + "\""
  }
}
