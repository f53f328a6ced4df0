/// Numbers from outside: read within bounds, or not at all.
///
/// Every reader of what others wrote takes its numbers from here (logs, transcripts, reports, the
/// command line), so that what is computed with them afterwards does not overflow.
package enum OutsideNumber {
  /// Counts, lines and revisions: as far as every reader of JSON tells whole numbers apart.
  package static let counts = 0...1 << 53
  /// How long something took, in microseconds: up to twelve days.
  package static let durations = 0...1 << 40

  /// A whole number within a range; `1.0` is one too, as other writers of JSON have it.
  package static func integer(_ value: Value, in range: ClosedRange<Int>) -> Int? {
    let integer =
      switch value {
      case .integer(let integer): integer
      case .number(let number): Int(exactly: number)
      default: nil as Int?
      }
    return integer.flatMap { range.contains($0) ? $0 : nil }
  }

  /// The same of a text.
  package static func integer(
    _ text: some StringProtocol, in range: ClosedRange<Int>
  ) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  /// A text as an integer, or as a number that is not one, or has more digits than one holds.
  ///
  /// Nil for what is none of the two, and for what is beyond the largest number. Digits that are less than the least
  /// integer become a number that is less as well: the nearest one would be that integer, and be taken for it.
  package static func value(_ text: String) -> Value? {
    if let integer = Int(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { return nil }
    let isEventlessed =
      number == Double(Int.min) && text.utf8.dropFirst().allSatisfy { isDigit($0) }
    return .number(isEventlessed ? number.nextDown : number)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
