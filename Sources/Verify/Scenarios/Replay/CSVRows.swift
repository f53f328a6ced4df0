/// Reads the rows of a CSV text as RFC 4180 describes it.
///
/// The delimiter may be another than the comma. Quoted cells may hold it, quotes (doubled) and line ends. After what is no row, reading goes
/// on with the line below the one in which that row began.
struct CSVRows {
  /// How long a row may be: a quote that is never closed shall not take in the whole log.
  static let longest = 1 << 20

  private var scan: CSVScan

  /// - Parameter delimiter: what stands between cells, in ASCII.
  init(delimiter: UInt8 = UInt8(ascii: ",")) { scan = CSVScan(delimiter: delimiter) }

  /// The next row with the number of its first line, nil at the end.
  ///
  /// Empty lines are no rows. Cells are good until the next row is read.
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
