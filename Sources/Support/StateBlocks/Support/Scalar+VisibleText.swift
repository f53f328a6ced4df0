extension Unicode.Scalar {
  /// True if a terminal or a browser would obey the scalar instead of showing it; false for line ends and tabs.
  package var isCommand: Bool {
    switch self {
    case "\n", "\t": false
    case "\u{2028}", "\u{2029}": true
    default: properties.generalCategory == .control || properties.isBidiControl
    }
  }

  /// Returns the escape that is written instead of the scalar, or nil if it is written as it is.
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
