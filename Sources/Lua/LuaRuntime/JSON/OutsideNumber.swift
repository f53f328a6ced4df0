/// Numbers from outside, which are read only if they are within bounds.
///
/// All readers of foreign data use it for logs, transcripts, reports and the command line, so that later arithmetic
/// does not overflow.
package enum OutsideNumber {
  /// The range of counts, lines and revisions, in which every JSON reader can tell integers apart.
  package static let counts = 0...1 << 53
  /// The range of durations in microseconds: up to twelve days.
  package static let durations = 0...1 << 40

  /// Returns a whole number in a range; `1.0` counts as one, because other JSON writers produce it.
  package static func integer(_ value: Value, in range: ClosedRange<Int>) -> Int? {
    let integer =
      switch value {
      case .integer(let integer): integer
      case .number(let number): Int(exactly: number)
      default: nil as Int?
      }
    return integer.flatMap { range.contains($0) ? $0 : nil }
  }

  /// Returns the whole number that a text stands for, if it is in the range.
  package static func integer(
    _ text: some StringProtocol, in range: ClosedRange<Int>
  ) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  /// Returns a text as an integer, or as a double if it has a fraction or exceeds the integer range.
  ///
  /// Returns nil for any other text, and for numbers beyond the range of doubles. Digits below the smallest integer
  /// become a smaller double: the nearest double would equal the smallest integer and be read as it.
  package static func value(_ text: String) -> Value? {
    if let integer = Int(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { return nil }
    let isRounded =
      number == Double(Int.min) && text.utf8.dropFirst().allSatisfy { isDigit($0) }
    return .number(isRounded ? number.nextDown : number)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
