import Moonlatch

/// Reads times of a log.
enum LogTime {
  /// Microseconds since 1970 of a time as ISO 8601 writes it, nil for what is none.
  ///
  /// `2011-10-11 13:45:40.276+02:00`, with `T` or a space, the zone optional (then it is UTC),
  /// seconds and their fraction too, or the date alone.
  static func microseconds(_ text: String) -> Int? {
    var text = text
    return text.withUTF8 { microseconds($0) }
  }

  /// The same of the bytes of a text.
  static func microseconds(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    var reader = Reader(bytes: text, at: 0)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2),
      reader.take("-"), let day = reader.number(2), (1...12).contains(month),
      (1...LogTime.days(in: month, of: year)).contains(day)
    else { return nil }
    var seconds = LogTime.days(year, month, day) * 86_400
    var fraction = 0
    if reader.take("T") || reader.take(" ") {
      guard let hour = reader.number(2), hour < 24, reader.take(":"),
        let minute = reader.number(2), minute < 60
      else { return nil }
      seconds += hour * 3600 + minute * 60
      if reader.take(":") {
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

    private var digit: Int? {
      guard at < bytes.count, (48...57).contains(bytes[at]) else { return nil }
      return Int(bytes[at]) - 48
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
      at += 1
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
      let isEast = take("+")
      guard isEast || take("-"), let hours = number(2), hours < 24 else { return nil }
      _ = take(":")
      let minutes = isAtEnd ? 0 : number(2)
      guard let minutes, minutes < 60 else { return nil }
      return (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
    }
  }
}

extension LogRow {
  /// The time in a column in microseconds: of an ISO 8601 text, or of a number of seconds.
  func time(_ column: LogColumn) -> Int? {
    if case .cells(let cells) = self, let index = column.index,
      let time = LogTime.microseconds(cells[index])
    {
      return time
    }
    return switch value(column) {
    case .string(let text):
      LogTime.microseconds(text) ?? Double(text).flatMap(OutsideNumber.microseconds)
    case .integer(let seconds): OutsideNumber.microseconds(Double(seconds))
    case .number(let seconds): OutsideNumber.microseconds(seconds)
    default: nil
    }
  }
}
