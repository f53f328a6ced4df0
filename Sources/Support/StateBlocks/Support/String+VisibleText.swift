/// Texts of others, for people to read: what a terminal or a CI server would take for a command is
/// written out.
///
/// A terminal obeys control characters: to clear the screen, to write over what stands there, to name
/// the window. Bidirectional controls show a line otherwise than it is. GitHub's runner takes a line
/// that begins with `::` for a command, and `##[` anywhere; other CI servers take `##vso[` and
/// `##teamcity[`.
extension String {
  /// The text with its control characters as Lua writes them, `\027` or `\r`; line ends and tabs stay.
  package var visible: String { visible(keepsEmphasis: false) }

  /// The same on one line.
  package var visibleLine: String {
    utf8.contains(UInt8(ascii: "\n")) ? visible.replacing("\n", with: "\\n") : visible
  }

  /// The same, with the marks of `Emphasis` as they are if so wanted.
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

  /// Whether there may be anything to write out.
  ///
  /// Of characters beyond ASCII the first byte says whether they may be among those.
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
  /// Whether a command of a CI server begins here: `::` at the beginning of a line, `##[` or
  /// `##word[` anywhere.
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
