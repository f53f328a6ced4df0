/// A reader of the times of a log's rows, in the given format or else in that of the first time.
struct LogClock {
  let column: LogColumn
  private(set) var format: LogTime.Format?

  init(_ column: LogColumn, format: LogTime.Format?) {
    (self.column, self.format) = (column, format)
  }

  /// Returns the time of a row in microseconds; nil if it has none.
  mutating func time(of row: LogRow) -> Int? {
    if format == .iso || format == nil, case .cells(let cells) = row, let index = column.index,
      let time = LogTime.microseconds(cells[index])
    {
      format = .iso
      return time
    }
    guard let text = row.timeText(column) else { return nil }
    guard let format = format ?? LogClock.only(LogTime.formats(of: text)) else { return nil }
    if let time = LogTime.microseconds(text, as: format) {
      self.format = format
      return time
    }
    // A log may mix these formats, as long as the text alone decides which one it is.
    guard [.iso, .compact, .seconds].contains(format),
      let other = LogClock.only(LogTime.formats(of: text)),
      [.iso, .compact, .seconds].contains(other)
    else { return nil }
    return LogTime.microseconds(text, as: other)
  }

  private static func only(_ formats: [LogTime.Format]) -> LogTime.Format? {
    formats.count == 1 ? formats.first : nil
  }
}
