/// How long something waits, as documents write it.
package enum Delay {
  private static let units: [(name: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400),
  ]

  /// Reads `2s`, `500ms` or `.5s`, in seconds; minutes, hours and days are taken too, which the recommendation has not.
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
