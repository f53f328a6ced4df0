/// Text that XML 1.0 can hold, whatever it held before.
enum XMLText {
  /// As the content of an element.
  static func content(_ text: String) -> String { escaped(text, keepsLines: true) }

  /// As the value of an attribute, in which a parser would make spaces of line ends.
  static func attribute(_ text: String) -> String { escaped(text, keepsLines: false) }

  private static func escaped(_ text: String, keepsLines: Bool) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{1b}": skipColour(&scalars)
      case "\n": escaped += keepsLines ? "\n" : "&#10;"
      case "\t": escaped += keepsLines ? "\t" : "&#9;"
      case "\r": escaped += "&#13;"
      default:
        escaped.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{fffd}")
      }
    }
    return escaped
  }

  /// The rest of a terminal's colour, such as `[31m`.
  private static func skipColour(_ scalars: inout String.UnicodeScalarView.Iterator) {
    var ahead = scalars
    guard ahead.next() == "[" else { return }
    while let scalar = ahead.next() {
      if (0x40...0x7e).contains(scalar.value) {
        scalars = ahead
        return
      }
      guard (0x20...0x3f).contains(scalar.value) else { return }
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && scalar.value != 0xfffe && scalar.value != 0xffff
  }
}
