/// Durations as people write them: `30 days`, `2 min 5 s`, `0.5 s`.
package enum DurationText {
  private static let units: [(name: String, seconds: UInt)] = [
    ("days", 86_400), ("h", 3_600), ("min", 60),
  ]

  package static func text(_ seconds: Double) -> String {
    guard abs(seconds) >= 60, abs(seconds) < 1e12 else { return inSeconds(seconds) }
    return text(microseconds: Int((seconds * 1_000_000).rounded()))
  }

  package static func text(microseconds: Int) -> String {
    let size = microseconds.magnitude
    guard size >= 60_000_000 else { return inSeconds(Double(microseconds) / 1_000_000) }
    var seconds = size / 1_000_000
    var parts: [String] = []
    for unit in units where seconds >= unit.seconds {
      let count = seconds / unit.seconds
      parts.append(unit.name == "days" && count == 1 ? "1 day" : "\(count) \(unit.name)")
      seconds %= unit.seconds
    }
    let rest = seconds * 1_000_000 + size % 1_000_000
    if rest > 0 { parts.append(inSeconds(Double(rest) / 1_000_000)) }
    return (microseconds < 0 ? "-" : "") + parts.joined(separator: " ")
  }

  package static func text(_ duration: Duration) -> String { text(duration / .seconds(1)) }

  /// Returns a duration in seconds alone, however long it is.
  package static func inSeconds(_ seconds: Double) -> String {
    let isWhole = seconds == seconds.rounded() && abs(seconds) < 1e15
    return isWhole ? "\(Int(seconds)) s" : "\(Value.text(of: seconds)) s"
  }
}
