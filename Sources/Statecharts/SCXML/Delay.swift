/// The notation of delays in documents.
package enum Delay {
  private static let units: [(name: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400),
  ]

  /// Parses a delay such as `2s`, `500ms` or `.5s`, in seconds; returns nil if it is malformed.
  ///
  /// Minutes, hours and days are accepted too, unlike in the recommendation.
  package static func seconds(_ text: String) -> Double? {
    let text = text.filter { !$0.isWhitespace }
    for (unit, factor) in units where text.hasSuffix(unit) {
      guard let number = Double(text.dropLast(unit.count)), number >= 0, number.isFinite else {
        return nil
      }
      return number * factor
    }
    return nil
  }
}
