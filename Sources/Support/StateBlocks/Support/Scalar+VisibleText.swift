extension Unicode.Scalar {
  /// Whether a terminal or a browser would obey it rather than show it; line ends and tabs aside.
  package var isCommand: Bool {
    switch self {
    case "\n", "\t": false
    case "\u{2028}", "\u{2029}": true
    default: properties.generalCategory == .control || properties.isBidiControl
    }
  }

  /// What is written in its place, nil for itself.
  func escape(keepsEmphasis: Bool) -> String? {
    if self == "\r" { return "\\r" }
    if isCommand, value < 256 {
      let digits = String(value)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    if isCommand || !keepsEmphasis && Emphasis.marks.contains(value) {
      return "\\u{\(String(value, radix: 16))}"
    }
    return nil
  }
}

extension Unicode.Scalar {
  var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}
