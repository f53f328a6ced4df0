/// Texts for a terminal, which takes control characters for commands: to clear the screen, to write
/// over what stands there, to name the window.
extension String {
  /// The text with its control characters as Lua writes them, `\027` or `\r`; line ends and tabs stay.
  package var visible: String {
    guard hasControls else { return self }
    var visible = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n", "\t": visible.unicodeScalars.append(scalar)
      case "\r": visible += "\\r"
      case _ where scalar.properties.generalCategory == .control:
        let digits = String(scalar.value)
        visible += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      default: visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }

  /// The same on one line.
  package var visibleLine: String {
    utf8.contains(UInt8(ascii: "\n")) ? visible.replacing("\n", with: "\\n") : visible
  }

  /// Whether there may be any: those beyond ASCII begin with one byte that others begin with too.
  private var hasControls: Bool {
    utf8.contains { ($0 < 0x20 && $0 != 0x0a && $0 != 0x09) || $0 == 0x7f || $0 == 0xc2 }
  }
}
