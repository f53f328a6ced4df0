/// A reader of the parts of a time in its text: a date, the time of day, a zone.
struct LogTimeReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { at == bytes.count }

  /// Reads a date as year, month and day.
  mutating func date(_ format: LogTime.Format) -> (Int, Int, Int)? {
    switch format {
    case .iso: return yearFirst("-", number)
    case .yearFirst: return yearFirst("/") { reader, _ in reader.oneOrTwo() }
    case .compact: return yearFirst(nil, number)
    case .dotted: return yearLast(".", isDayFirst: true)
    case .dayFirst: return yearLast("/", isDayFirst: true)
    case .monthFirst: return yearLast("/", isDayFirst: false)
    case .dashedDayFirst: return yearLast("-", isDayFirst: true)
    case .dashedMonthFirst: return yearLast("-", isDayFirst: false)
    case .seconds, .milliseconds, .microseconds, .nanoseconds, .days: return nil
    }
  }

  private func number(_ reader: inout LogTimeReader, _ digits: Int) -> Int? {
    reader.number(digits)
  }

  private mutating func yearFirst(
    _ sign: Unicode.Scalar?, _ number: (inout LogTimeReader, Int) -> Int?
  ) -> (Int, Int, Int)? {
    guard let year = self.number(4), accept(sign), let month = number(&self, 2), accept(sign),
      let day = number(&self, 2)
    else { return nil }
    return (year, month, day)
  }

  private mutating func yearLast(_ sign: Unicode.Scalar, isDayFirst: Bool) -> (Int, Int, Int)? {
    guard let first = oneOrTwo(), accept(sign), let second = oneOrTwo(), accept(sign),
      let year = number(4)
    else { return nil }
    return isDayFirst ? (year, second, first) : (year, first, second)
  }

  /// Accepts the sign between the date and the time of day; returns false if no time follows.
  mutating func acceptBeginningOfDay(_ format: LogTime.Format) -> Bool {
    if accept("T") || accept("t") || accept(" ") { return true }
    if format == .compact { return !isAtEnd }
    if accept(",") {
      _ = accept(" ")
      return true
    }
    return accept(":")
  }

  /// Reads the time of day, in seconds and further microseconds.
  ///
  /// `24:00:00` is the end of the day. A colon or a full stop separates hours from minutes.
  mutating func timeOfDay(isCompact: Bool) -> (seconds: Int, fraction: Int)? {
    guard var hour = isCompact ? number(2) : oneOrTwo() else { return nil }
    let sign: Unicode.Scalar? = isCompact ? nil : accept(":") ? ":" : accept(".") ? "." : "x"
    guard sign != "x", let minute = number(2), minute < 60 else { return nil }
    var (second, fraction) = (0, 0)
    if isCompact ? digit != nil : accept(sign) {
      guard let read = number(2), read <= 60 else { return nil }
      second = read
      if accept(".") || accept(",") {
        guard let read = self.fraction() else { return nil }
        fraction = read
      }
    }
    if let isAfternoon = half() {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (isAfternoon ? 12 : 0)
    }
    guard hour < 24 || hour == 24 && minute + second + fraction == 0 else { return nil }
    return (hour * 3600 + minute * 60 + second, fraction)
  }

  /// Reads AM or PM, as false or true; returns nil if neither follows.
  private mutating func half() -> Bool? {
    let start = at
    // The space may also be a non-breaking one, or a narrow one.
    for space in [" ", "\u{a0}", "\u{202f}"] where acceptText(space) { break }
    let letter = at < bytes.count ? bytes[at] | 0x20 : 0
    guard letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p") else {
      at = start
      return nil
    }
    at += 1
    let isDotted = accept(".")
    guard accept("m") || accept("M"), !isDotted || accept(".") else {
      at = start
      return nil
    }
    return letter == UInt8(ascii: "p")
  }

  /// The hours east of Greenwich of each zone that is known by a name.
  ///
  /// A name that several zones have is left out, except those of North America, which RFC 5322 defines.
  static let zones = [
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3,
    "MSK": 3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8,
    "PDT": -7,
  ]

  /// Reads the zone in seconds east of Greenwich: an offset, the name of a zone, or an offset after UTC or GMT.
  mutating func zone() -> Int? {
    if isAtEnd { return 0 }
    _ = accept(" ")
    let start = at
    while let letter, at - start < 5 { _ = accept(letter) }
    guard at > start else { return offset() }
    let name = String(decoding: bytes[start..<at], as: UTF8.self).uppercased()
    guard let hours = LogTimeReader.zones[name] else { return nil }
    return isAtEnd || name != "UTC" && name != "GMT" ? hours * 3600 : offset()
  }

  private mutating func offset() -> Int? {
    let isEast = accept("+")
    guard isEast || accept("-"), let hours = number(2), hours < 24 else { return nil }
    _ = accept(":")
    let minutes = isAtEnd ? 0 : number(2)
    guard let minutes, minutes < 60 else { return nil }
    return (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
  }

  // MARK: Characters

  private var letter: Unicode.Scalar? {
    guard at < bytes.count, (97...122).contains(bytes[at] | 0x20) else { return nil }
    return Unicode.Scalar(bytes[at])
  }

  private var digit: Int? {
    guard at < bytes.count, (48...57).contains(bytes[at]) else { return nil }
    return Int(bytes[at]) - 48
  }

  /// Accepts the character if it follows; nil is always accepted.
  private mutating func accept(_ character: Unicode.Scalar?) -> Bool {
    guard let character else { return true }
    guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func acceptText(_ text: String) -> Bool {
    guard bytes[at...].starts(with: text.utf8) else { return false }
    at += text.utf8.count
    return true
  }

  private mutating func number(_ digits: Int) -> Int? {
    var number = 0
    for _ in 0..<digits {
      guard let digit else { return nil }
      number = number * 10 + digit
      at += 1
    }
    return number
  }

  private mutating func oneOrTwo() -> Int? {
    guard let first = number(1) else { return nil }
    return number(1).map { first * 10 + $0 } ?? first
  }

  /// Reads a fraction of a second in whole microseconds; further digits are ignored.
  private mutating func fraction() -> Int? {
    guard digit != nil else { return nil }
    var (fraction, unit) = (0, 100_000)
    while let digit {
      fraction += digit * unit
      unit /= 10
      at += 1
    }
    return fraction
  }
}
