/// Reads the rows of a CSV text as RFC 4180 describes it.
///
/// Quoted cells may hold commas, quotes (doubled) and line ends. After what is no row, reading goes
/// on with the line below the one in which that row began.
struct CSVRows {
  /// How long a row may be: a quote that is never closed shall not take in the whole log.
  static let longest = 1 << 20

  private var scan = CSVScan()

  /// The next row with the number of its first line, nil at the end.
  ///
  /// Empty lines are no rows.
  mutating func next(_ log: inout LogBytes) throws -> (line: Int, row: LogRow)? {
    while let byte = try log[0], byte == CSVScan.lineFeed || byte == CSVScan.carriageReturn {
      log.take(1, lines: byte == CSVScan.lineFeed ? 1 : 0)
    }
    guard try log[0] != nil else { return nil }
    let line = log.line
    while true {
      switch log.withHeld({ scan.row($0, isLast: $1) }) {
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

/// The cells of a CSV row: their text without quotes, one behind the other.
struct CSVCells {
  fileprivate(set) var text: [UInt8] = []
  fileprivate(set) var ends: [Int] = []

  var count: Int { ends.count }

  /// The bytes of a cell, which are UTF-8.
  subscript(index: Int) -> ArraySlice<UInt8> {
    text[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  /// A cell as a string.
  func string(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }
}

/// Finds one row at the beginning of the bytes that are held.
struct CSVScan {
  enum Found {
    case row(length: Int, lines: Int)
    case fault(String)
    /// The row goes on behind what is held.
    case incomplete
  }

  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")

  /// What the last row held.
  private(set) var cells = CSVCells()
  private var at = 0
  private var lines = 0

  /// - Parameter isLast: whether the log ends with these bytes.
  mutating func row(_ held: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Found {
    (at, lines) = (0, 0)
    // New ones of the size that the last row had: that one may still be in use.
    let last = cells
    cells = CSVCells()
    cells.text.reserveCapacity(last.text.count + 64)
    cells.ends.reserveCapacity(last.count)
    let bytes = UnsafeBufferPointer(rebasing: held.prefix(CSVRows.longest + 1))
    while true {
      let isQuoted = at < bytes.count && bytes[at] == CSVScan.quote
      let fault = isQuoted ? quoted(bytes) : plain(bytes)
      if at + 1 >= bytes.count, !isLineFeed(bytes) {
        // What follows decides what the last bytes are.
        if bytes.count > CSVRows.longest { return .fault(CSVScan.tooLong) }
        if !isLast { return .incomplete }
      }
      if let fault { return .fault(fault) }
      cells.ends.append(cells.text.count)
      guard at < bytes.count, bytes[at] == CSVScan.comma else { break }
      at += 1
    }
    if at < bytes.count, bytes[at] == CSVScan.carriageReturn { at += 1 }
    if at < bytes.count { (at, lines) = (at + 1, lines + 1) }
    return notText.map { .fault("cell \($0 + 1) is not UTF-8") } ?? .row(length: at, lines: lines)
  }

  /// Whether what follows the cell is a line feed.
  private func isLineFeed(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    at < bytes.count && bytes[at] == CSVScan.lineFeed
  }

  /// Reads up to the comma or the line's end.
  private mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let start = at
    while at < bytes.count {
      let byte = bytes[at]
      if byte == CSVScan.comma || byte == CSVScan.lineFeed { break }
      if byte == CSVScan.carriageReturn, isEnd(bytes, at + 1) { break }
      if byte == CSVScan.quote { return "a quote inside a cell that began without one" }
      at += 1
    }
    cells.text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<at]))
    return nil
  }

  /// Reads a cell in quotes, which may go over several lines.
  private mutating func quoted(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    at += 1
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      if byte == CSVScan.quote {
        if at < bytes.count, bytes[at] == CSVScan.quote {
          at += 1
        } else if endsCell(bytes) {
          return nil
        } else {
          return "something follows the quote that closes a cell"
        }
      }
      if byte == CSVScan.lineFeed { lines += 1 }
      cells.text.append(byte)
    }
    return "a quote is never closed"
  }

  private func isEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    index >= bytes.count || bytes[index] == CSVScan.lineFeed
  }

  private func endsCell(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    isEnd(bytes, at) || bytes[at] == CSVScan.comma
      || bytes[at] == CSVScan.carriageReturn && isEnd(bytes, at + 1)
  }

  /// The first cell that is not UTF-8.
  private var notText: Int? {
    guard cells.text.reduce(0, |) >= 0x80 else { return nil }
    return cells.ends.indices.first { String(validating: cells[$0], as: UTF8.self) == nil }
  }

  private static let tooLong = "the row is longer than \(CSVRows.longest) bytes"
}
