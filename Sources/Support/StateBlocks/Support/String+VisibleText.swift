/// Escapes for text from outside: commands to a terminal or a CI server are written out as visible characters.
///
/// A terminal obeys control characters, which can clear the screen, overwrite its content or name the window.
/// Bidirectional controls show a line otherwise than it is. GitHub's runner treats a line that begins with `::` as a
/// command, and `##[` anywhere; other CI servers do so with `##vso[` and `##teamcity[`.
extension String {
  /// The text with its control characters escaped as in Lua, `\027` or `\r`; line ends and tabs stay.
  package var visible: String { visible(keepsEmphasis: false) }

  /// The visible text on one line, with line ends written as `\n`.
  package var visibleLine: String {
    utf8.contains(UInt8(ascii: "\n")) ? visible.replacing("\n", with: "\\n") : visible
  }

  /// Returns the text with its control characters escaped, except the marks of `Emphasis` if `keepsEmphasis` is true.
  func visible(keepsEmphasis: Bool) -> String {
    guard mayCommand else { return self }
    var shown = ""
    shown.reserveCapacity(utf8.count + 16)
    let scalars = unicodeScalars
    var beginsLine = true
    for index in scalars.indices {
      let scalar = scalars[index]
      if let escaped = scalar.escape(keepsEmphasis: keepsEmphasis) {
        shown += escaped
      } else if scalars.beginsCommand(at: index, beginsLine: beginsLine) {
        shown += "\\0\(scalar.value)"
      } else {
        shown.unicodeScalars.append(scalar)
      }
      beginsLine = scalar == "\n" || beginsLine && scalar.properties.isWhitespace
    }
    return shown
  }

  /// True if the text may contain characters to escape; false only if it contains none.
  ///
  /// Characters beyond ASCII are judged by their first byte.
  package var mayCommand: Bool {
    var before: UInt8 = 0
    for byte in utf8 {
      switch byte {
      case 0x0a, 0x09: break
      case 0..<0x20, 0x7f, 0xc2, 0xd8, 0xe2, 0xef: return true
      case UInt8(ascii: ":"), UInt8(ascii: "#"): if before == byte { return true }
      default: break
      }
      before = byte
    }
    return false
  }
}

extension String.UnicodeScalarView {
  /// Returns true if a command of a CI server begins here.
  ///
  /// Such a command is `::` at the beginning of a line, or `##[` or `##word[` anywhere.
  package func beginsCommand(at start: Index, beginsLine: Bool) -> Bool {
    let scalar = self[start]
    guard beginsLine && scalar == ":" || scalar == "#" else { return false }
    var next = index(after: start)
    guard next < endIndex, self[next] == scalar else { return false }
    if scalar == ":" { return true }
    repeat { next = index(after: next) } while next < endIndex && self[next].isASCIILetter
    return next < endIndex && self[next] == "["
  }
}
