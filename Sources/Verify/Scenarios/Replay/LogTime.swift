import FlowKernel
import LuaRuntime

/// The times of a log, and the formats in which they are written.
package enum LogTime {
  /// A format in which a log writes its times.
  ///
  /// A date may be followed by the time of day, and that by a zone. A time without a zone is UTC.
  package enum Format: String, CaseIterable, Sendable {
    /// ISO 8601, such as `2011-10-11 13:45:40.276+02:00`, with `T` or a space.
    case iso
    /// ISO 8601 without signs between the parts, such as `20111011T134540Z`.
    case compact
    case dotted = "dd.mm.yyyy"
    case yearFirst = "yyyy/mm/dd"
    case dayFirst = "dd/mm/yyyy"
    case monthFirst = "mm/dd/yyyy"
    case dashedDayFirst = "dd-mm-yyyy"
    case dashedMonthFirst = "mm-dd-yyyy"
    /// Seconds since 1970, or since any other moment.
    case seconds
    case milliseconds
    case microseconds
    case nanoseconds
    /// Days as spreadsheets count them: 25569 is 1970-01-01.
    case days

    /// The number of units in a second; nil for a format that is not a number.
    fileprivate var unitsPerSecond: Double? {
      switch self {
      case .seconds: 1
      case .milliseconds: 1e3
      case .microseconds: 1e6
      case .nanoseconds: 1e9
      case .days: 1 / 86_400
      default: nil
      }
    }

    /// True if the column has to be read to tell the day from the month.
    var isOfDayAndMonth: Bool {
      switch self {
      case .dayFirst, .monthFirst, .dashedDayFirst, .dashedMonthFirst: true
      default: false
      }
    }
  }

  /// Returns the microseconds since 1970 of a time in ISO 8601; nil if the text is not a time.
  static func microseconds(_ text: String) -> Int? { microseconds(text, as: .iso) }

  /// Returns the microseconds of a time in the format; nil if the text is not a time.
  static func microseconds(_ text: String, as format: Format) -> Int? {
    var text = text
    return text.withUTF8 { microseconds($0, as: format) }
  }

  /// Returns the microseconds of a time in the format, from the bytes of its text; nil if it is not a time.
  static func microseconds(_ text: UnsafeBufferPointer<UInt8>, as format: Format = .iso) -> Int? {
    if let units = format.unitsPerSecond {
      return number(String(decoding: text, as: UTF8.self), format, units)
    }
    var reader = LogTimeReader(bytes: text)
    guard let (year, month, day) = reader.date(format), (1...12).contains(month),
      (1...WallTime.days(in: month, of: year)).contains(day)
    else { return nil }
    var seconds = WallTime.days(year, month, day) * 86_400
    var fraction = 0
    if reader.acceptBeginningOfDay(format) {
      guard let time = reader.timeOfDay(isCompact: format == .compact), let offset = reader.zone()
      else { return nil }
      (seconds, fraction) = (seconds + time.seconds - offset, time.fraction)
    }
    return reader.isAtEnd ? seconds * 1_000_000 + fraction : nil
  }

  private static func number(_ text: String, _ format: Format, _ units: Double) -> Int? {
    guard let number = Double(text) else { return nil }
    if format == .days { return OutsideNumber.microseconds((number - 25_569) * 86_400) }
    // A number with so many digits is exact only as an integer.
    if format == .nanoseconds, let integer = Int(text) { return integer / 1_000 }
    return OutsideNumber.microseconds(number / units)
  }

  /// Returns the formats in which a text is a time; more than one if the text alone does not decide.
  ///
  /// A number counts seconds, or smaller units if seconds would be more than three thousand years.
  static func formats(of text: String) -> [Format] {
    guard let number = Double(text) else {
      return Format.allCases.filter {
        $0.unitsPerSecond == nil && microseconds(text, as: $0) != nil
      }
    }
    let digits = text.utf8.count
    let isDate = microseconds(text, as: .compact) != nil
    if digits == 14, isDate { return [.compact] }
    let unit = unit(of: number)
    guard microseconds(text, as: unit) != nil else { return [] }
    if isDate, digits == 8 || digits == 12, ["19", "20", "21"].contains(text.prefix(2)) {
      return [.compact, unit]
    }
    // As days these are the years 1927 to 2173, as seconds less than 28 hours.
    return (10_000..<100_000).contains(number) ? [.seconds, .days] : [unit]
  }

  private static func unit(of number: Double) -> Format {
    switch abs(number) {
    case ..<1e11: .seconds
    case ..<1e14: .milliseconds
    case ..<1e17: .microseconds
    default: .nanoseconds
    }
  }
}
