import Platform

/// Times of the wall clock, as the command writes them: `2026-11-23 05:40:12.345 UTC`.
package enum WallTime {
  /// - Parameter microseconds: since 1970.
  package static func text(_ microseconds: Int) -> String {
    let (seconds, rest) = parts(microseconds)
    return "\(written(seconds, "%Y-%m-%d %H:%M:%S")).\(padded(rest / 1000, 3)) UTC"
  }

  /// As RFC 3339 has it, to the microsecond.
  package static func exact(_ microseconds: Int) -> String {
    let (seconds, rest) = parts(microseconds)
    return "\(written(seconds, "%Y-%m-%dT%H:%M:%S")).\(padded(rest, 6))Z"
  }

  private static func parts(_ microseconds: Int) -> (seconds: Int, rest: Int) {
    let seconds =
      microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
    return (seconds, microseconds - seconds * 1_000_000)
  }

  private static func written(_ seconds: Int, _ format: String) -> String {
    var (time, date) = (time_t(seconds), tm())
    guard gmtime_r(&time, &date) != nil else { return "\(seconds)" }
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, format, &date)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
