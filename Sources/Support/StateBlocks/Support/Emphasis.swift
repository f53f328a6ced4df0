/// How a text is set off on a terminal that has colours.
///
/// Marks stand around it that Unicode keeps for a process's own use; the outlet alone (`Terminal`)
/// knows what a terminal is told for them. So a text of somebody else's never holds a command, and one
/// of ours no more than these.
package enum Emphasis: UInt32, CaseIterable, Sendable {
  case bold = 0xfdd1
  case faint, red, green, yellow, boldRed

  /// Every mark: noncharacters, which no text is to hold.
  static let marks: ClosedRange<UInt32> = 0xfdd0...0xfdef
  private static let end: UInt32 = 0xfdd0

  /// The text between its marks.
  package func callAsFunction(_ text: some StringProtocol) -> String {
    "\(Emphasis.mark(rawValue))\(text)\(Emphasis.mark(Emphasis.end))"
  }

  private static func mark(_ value: UInt32) -> String {
    Unicode.Scalar(value).map { String(Character($0)) } ?? ""
  }

  /// What a terminal is told for a mark, nil for what is none of these.
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
