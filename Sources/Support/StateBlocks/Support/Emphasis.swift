/// A style of text on a terminal that has colours.
///
/// A styled text stands between marks, which are noncharacters that Unicode reserves for internal use. Only `Terminal`
/// replaces them by escape sequences. So foreign text never contains a terminal command, and text of this package
/// contains only these.
package enum Emphasis: UInt32, CaseIterable, Sendable {
  case bold = 0xfdd1
  case faint, red, green, yellow, boldRed

  /// The range of all marks: noncharacters, which ordinary text must not contain.
  static let marks: ClosedRange<UInt32> = 0xfdd0...0xfdef
  private static let end: UInt32 = 0xfdd0

  /// Returns the text between its marks.
  package func callAsFunction(_ text: some StringProtocol) -> String {
    "\(Emphasis.mark(rawValue))\(text)\(Emphasis.mark(Emphasis.end))"
  }

  private static func mark(_ value: UInt32) -> String {
    Unicode.Scalar(value).map { String(Character($0)) } ?? ""
  }

  /// Returns the escape sequence for a mark, or nil if the scalar is not a mark in use.
  static func command(for scalar: Unicode.Scalar) -> String? {
    if scalar.value == end { return "\u{1b}[0m" }
    return Emphasis(rawValue: scalar.value).map { "\u{1b}[\($0.code)m" }
  }

  private var code: String {
    switch self {
    case .bold: "1"
    case .faint: "2"
    case .red: "31"
    case .green: "32"
    case .yellow: "33"
    case .boldRed: "1;31"
    }
  }
}
