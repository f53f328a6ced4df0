import Platform

/// Converts times of the wall clock to texts and back.
package enum WallTime {
  /// Returns the text of a time in reports: `2026-11-23 05:40:12.345 UTC`.
  ///
  /// - Parameter microseconds: the time since 1970.
  package static func text(_ microseconds: Int) -> String {
    let (seconds, rest) = parts(microseconds)
    return "\(written(seconds, "%Y-%m-%d %H:%M:%S")).\(padded(rest / 1000, 3)) UTC"
  }

  /// Returns the text of a time in the format of RFC 3339, to the microsecond.
  package static func exact(_ microseconds: Int) -> String {
    let (seconds, rest) = parts(microseconds)
    return "\(written(seconds, "%Y-%m-%dT%H:%M:%S")).\(padded(rest, 6))Z"
  }

  /// Reads a time in the format of RFC 3339, such as `2026-11-23T05:40:12.345Z`, in any zone.
  ///
  /// A date alone is the beginning of the day in UTC. Digits of a second beyond microseconds are dropped.
  ///
  /// - Returns: the microseconds since 1970; nil if the text is no time of the years 1 to 9999.
  package static func microseconds(_ text: String) -> Int? {
    var reader = TimeReader(rest: text.utf8[...])
    guard let day = reader.day() else { return nil }
    if reader.isAtEnd { return day * dayLength }
    guard reader.accept("T") || reader.accept("t") || reader.accept(" "),
      let time = reader.timeOfDay(),
      let offset = reader.zone(), reader.isAtEnd
    else { return nil }
    let found = day * dayLength + time - offset * 1_000_000
    return (days(1, 1, 1) * dayLength..<days(10_000, 1, 1) * dayLength).contains(found)
      ? found : nil
  }

  private static let dayLength = 86_400_000_000

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

extension WallTime {
  /// Returns the number of days of a month.
  package static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the days since 1970 in the Gregorian calendar; internally, years begin in March.
  package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}

/// A reader of the text of a time.
private struct TimeReader {
  var rest: Substring.UTF8View

  var isAtEnd: Bool { rest.isEmpty }

  mutating func accept(_ sign: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads exactly that many digits as a number; nil if it is outside of the range.
  private mutating func number(_ digits: Int, _ range: ClosedRange<Int>) -> Int? {
    var number = 0
    for _ in 0..<digits {
      guard let byte = rest.first, byte >= 48, byte <= 57 else { return nil }
      rest.removeFirst()
      number = number * 10 + Int(byte) - 48
    }
    return range.contains(number) ? number : nil
  }

  /// Reads a date, as days since 1970.
  mutating func day() -> Int? {
    guard let year = number(4, 1...9999), accept("-"), let month = number(2, 1...12), accept("-"),
      let day = number(2, 1...WallTime.days(in: month, of: year))
    else { return nil }
    return WallTime.days(year, month, day)
  }

  /// Reads a time of day, as microseconds since midnight.
  mutating func timeOfDay() -> Int? {
    guard let hour = number(2, 0...23), accept(":"), let minute = number(2, 0...59), accept(":"),
      let second = number(2, 0...59)
    else { return nil }
    var (fraction, unit, hasDigits) = (0, 100_000, false)
    if accept(".") {
      while let digit = number(1, 0...9) {
        (fraction, unit, hasDigits) = (fraction + digit * unit, unit / 10, true)
      }
      if !hasDigits { return nil }
    }
    return (hour * 3_600 + minute * 60 + second) * 1_000_000 + fraction
  }

  /// Reads a zone, as the seconds by which it is ahead of UTC.
  mutating func zone() -> Int? {
    if accept("Z") || accept("z") { return 0 }
    let sign = accept("+") ? 1 : accept("-") ? -1 : 0
    guard sign != 0, let hours = number(2, 0...23), accept(":"), let minutes = number(2, 0...59)
    else {
      return nil
    }
    return sign * (hours * 3_600 + minutes * 60)
  }
}
