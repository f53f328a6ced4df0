import Moonlatch

/// Reads times of a log.
package enum LogTime {
  /// How a log writes its times; each but the last two may be followed by the time of day, and that by
  /// a zone (without one it is UTC).
  package enum Format: String, CaseIterable, Sendable {
    /// As ISO 8601: `2011-10-11 13:45:40.276+02:00`, with `T` or a space.
    case iso
    /// The same without signs between: `20111011T134540Z`.
    case compact
    case dotted = "dd.mm.yyyy"
    case yearFirst = "yyyy/mm/dd"
    case dayFirst = "dd/mm/yyyy"
    case monthFirst = "mm/dd/yyyy"
    /// Seconds since 1970, or since anything else.
    case seconds
    case milliseconds
  }

  /// Microseconds since 1970 of a time as ISO 8601 writes it, nil for what is none.
  static func microseconds(_ text: String) -> Int? { microseconds(text, as: .iso) }

  /// Microseconds of a time in that format, nil for what is none.
  static func microseconds(_ text: String, as format: Format) -> Int? {
    var text = text
    return text.withUTF8 { microseconds($0, as: format) }
  }

  /// The same of the bytes of a text.
  static func microseconds(_ text: UnsafeBufferPointer<UInt8>, as format: Format = .iso) -> Int? {
    if format == .seconds || format == .milliseconds {
      let number = Double(String(decoding: text, as: UTF8.self))
      return number.flatMap { OutsideNumber.microseconds(format == .seconds ? $0 : $0 / 1000) }
    }
    var reader = Reader(bytes: text, at: 0)
    guard let (year, month, day) = reader.date(format), (1...12).contains(month),
      (1...LogTime.days(in: month, of: year)).contains(day)
    else { return nil }
    var seconds = LogTime.days(year, month, day) * 86_400
    var fraction = 0
    let isCompact = format == .compact
    if reader.take("T") || reader.take(" ") || isCompact && !reader.isAtEnd {
      guard let hour = reader.number(2), hour < 24, isCompact || reader.take(":"),
        let minute = reader.number(2), minute < 60
      else { return nil }
      seconds += hour * 3600 + minute * 60
      if isCompact ? reader.isAtDigit : reader.take(":") {
        guard let second = reader.number(2), second <= 60 else { return nil }
        seconds += second
        if reader.take(".") || reader.take(",") {
          guard let read = reader.fraction() else { return nil }
          fraction = read
        }
      }
      guard let offset = reader.zone() else { return nil }
      seconds -= offset
    }
    return reader.isAtEnd ? seconds * 1_000_000 + fraction : nil
  }

  /// The format that a log's first time is in, where nobody said it; nil for what is no time.
  ///
  /// What is a number counts milliseconds where seconds would be more than three thousand years; which
  /// of day and month comes first in `01/02/2011` has to be said.
  static func format(of text: String) -> Format? {
    let isStamp = text.utf8.count == 14
    for format in [Format.iso, .dotted, .yearFirst]
    where microseconds(text, as: format) != nil { return format }
    let isNumber = Double(text) != nil
    if !isNumber || isStamp, microseconds(text, as: .compact) != nil { return .compact }
    return Double(text).map { abs($0) < 1e11 ? .seconds : .milliseconds }
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Days since 1970 in the Gregorian calendar, years counted from March.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    var at: Int
    var isAtEnd: Bool { at == bytes.count }
    var isAtDigit: Bool { digit != nil }

    /// Year, month and day.
    mutating func date(_ format: Format) -> (Int, Int, Int)? {
      switch format {
      case .iso, .compact:
        let isPlain = format == .compact
        guard let year = number(4), isPlain || take("-"), let month = number(2),
          isPlain || take("-"), let day = number(2)
        else { return nil }
        return (year, month, day)
      case .yearFirst:
        guard let year = number(4), take("/"), let month = oneOrTwo(), take("/"),
          let day = oneOrTwo()
        else { return nil }
        return (year, month, day)
      case .dotted, .dayFirst, .monthFirst:
        let sign: Unicode.Scalar = format == .dotted ? "." : "/"
        guard let first = oneOrTwo(), take(sign), let second = oneOrTwo(), take(sign),
          let year = number(4)
        else { return nil }
        return format == .monthFirst ? (year, first, second) : (year, second, first)
      case .seconds, .milliseconds: return nil
      }
    }

    private mutating func oneOrTwo() -> Int? {
      guard let first = number(1) else { return nil }
      return number(1).map { first * 10 + $0 } ?? first
    }

    private var digit: Int? {
      guard at < bytes.count, (48...57).contains(bytes[at]) else { return nil }
      return Int(bytes[at]) - 48
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
      at += 1
      return true
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
      let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
      let end = at + letters.count
      guard end <= bytes.count, bytes[at..<end].elementsEqual(letters) else { return false }
      at = end
      return true
    }

    mutating func number(_ digits: Int) -> Int? {
      var number = 0
      for _ in 0..<digits {
        guard let digit else { return nil }
        number = number * 10 + digit
        at += 1
      }
      return number
    }

    /// Whole microseconds; what is finer is left out.
    mutating func fraction() -> Int? {
      guard digit != nil else { return nil }
      var (fraction, unit) = (0, 100_000)
      while let digit {
        fraction += digit * unit
        unit /= 10
        at += 1
      }
      return fraction
    }

    /// Seconds east of Greenwich.
    mutating func zone() -> Int? {
      if isAtEnd || take("Z") { return 0 }
      _ = take(" ")
      if takeWord("UTC") || takeWord("GMT") { return 0 }
      let isEast = take("+")
      guard isEast || take("-"), let hours = number(2), hours < 24 else { return nil }
      _ = take(":")
      let minutes = isAtEnd ? 0 : number(2)
      guard let minutes, minutes < 60 else { return nil }
      return (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
    }
  }
}

/// Reads the times of a log's rows, all in one format: the one that was said, or that of the first.
struct LogClock {
  let column: LogColumn
  private(set) var format: LogTime.Format?

  init(_ column: LogColumn, format: LogTime.Format?) {
    (self.column, self.format) = (column, format)
  }

  /// The time of a row in microseconds; nil for none.
  mutating func time(of row: LogRow) -> Int? {
    if format == .iso || format == nil, case .cells(let cells) = row, let index = column.index,
      let time = LogTime.microseconds(cells[index])
    {
      format = .iso
      return time
    }
    let text: String
    switch row.value(column) {
    case .string(let found): text = found
    case .integer(let number): text = String(number)
    case .number(let number): text = String(number)
    default: return nil
    }
    guard let format = format ?? LogTime.format(of: text) else { return nil }
    if let time = LogTime.microseconds(text, as: format) {
      self.format = format
      return time
    }
    // A log may have both.
    switch format {
    case .iso: return LogTime.microseconds(text, as: .seconds)
    case .seconds: return LogTime.microseconds(text, as: .iso)
    default: return nil
    }
  }
}
