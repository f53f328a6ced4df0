/// A reader of the rows of a CSV text as in RFC 4180.
///
/// The delimiter may be another than the comma. Quoted cells may contain the delimiter, quotes (doubled) and line ends.
/// After a malformed row, reading continues with the line after the one in which that row began.
struct CSVRows {
  /// The number of bytes that a row may have, so that a quote that is never closed does not take in the whole log.
  static let longest = 1 << 20

  private var scan: CSVScan

  /// - Parameter delimiter: the character between cells, in ASCII.
  init(delimiter: UInt8 = UInt8(ascii: ",")) { scan = CSVScan(delimiter: delimiter) }

  /// Returns the next row with the number of its first line, or nil at the end.
  ///
  /// Empty lines are not rows. The cells are valid until the next row is read.
  mutating func next(_ log: LogBytes) throws -> (line: Int, row: LogRow)? {
    try log.takeEmptyLines()
    guard try log[0] != nil else { return nil }
    let line = log.line
    while true {
      switch scan.row(log.held, isLast: log.isWhole, lineEnd: log.lineEnd) {
      case .incomplete: try log.fill()
      case .row(let length, let lines):
        log.take(length, lines: lines)
        return (line, .cells(scan.cells))
      case .fault(let reason):
        try log.takeLine()
        return (line, .malformed(reason))
      }
    }
  }
}
