/// Escapes for any text in XML 1.0.
package enum XMLText {
  /// Returns a text as the content of an element.
  package static func content(_ text: String) -> String { escaped(text, keepsLines: true) }

  /// Returns a text as the value of an attribute, with its line ends escaped, because a parser would make them spaces.
  package static func attribute(_ text: String) -> String { escaped(text, keepsLines: false) }

  private static func escaped(_ text: String, keepsLines: Bool) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    let scalars = text.unicodeScalars
    var index = scalars.startIndex
    var beginsLine = true
    while index < scalars.endIndex {
      let scalar = scalars[index]
      let isCommand = scalar.isCommand && scalar.value >= 0x7f
      if isCommand || scalars.beginsCommand(at: index, beginsLine: beginsLine) {
        escaped += "&#\(scalar.value);"
        index = scalars.index(after: index)
        beginsLine = false
        continue
      }
      beginsLine = scalar == "\n" || beginsLine && scalar.properties.isWhitespace
      index = scalars.index(after: index)
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{1b}": index = behindColour(scalars, index)
      case "\n": escaped += keepsLines ? "\n" : "&#10;"
      case "\t": escaped += keepsLines ? "\t" : "&#9;"
      case "\r": escaped += "&#13;"
      default:
        escaped.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{fffd}")
      }
    }
    return escaped
  }

  /// Returns the index after the rest of a terminal's colour sequence, such as `[31m`.
  private static func behindColour(
    _ scalars: String.UnicodeScalarView, _ start: String.Index
  ) -> String.Index {
    guard start < scalars.endIndex, scalars[start] == "[" else { return start }
    for index in scalars[start...].indices.dropFirst() {
      let value = scalars[index].value
      if (0x40...0x7e).contains(value) { return scalars.index(after: index) }
      guard (0x20...0x3f).contains(value) else { return start }
    }
    return start
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && scalar.value != 0xfffe && scalar.value != 0xffff
  }
}
