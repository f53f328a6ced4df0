/// A scanner that finds one row at the beginning of the bytes that are held.
struct CSVScan {
  enum Found {
    case row(length: Int, lines: Int)
    case fault(String)
    /// The row continues after the bytes that are held.
    case incomplete
  }

  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  private static let quote = UInt8(ascii: "\"")

  /// The cells of the last row.
  let cells: CSVCells
  private let delimiter: UInt8
  private var at = 0
  private var lines = 0
  private var lineEnd = CSVScan.lineFeed

  /// - Parameter delimiter: the character between cells, in ASCII.
  init(delimiter: UInt8 = UInt8(ascii: ",")) {
    self.delimiter = delimiter
    cells = CSVCells(delimiter: delimiter)
  }

  /// Scans one row.
  ///
  /// - Parameters:
  ///   - isLast: true if the log ends with these bytes.
  ///   - lineEnd: the byte that ends a line.
  mutating func row(
    _ held: UnsafeBufferPointer<UInt8>, isLast: Bool, lineEnd: UInt8 = CSVScan.lineFeed
  ) -> Found {
    self.lineEnd = lineEnd
    let bytes = UnsafeBufferPointer(rebasing: held.prefix(CSVRows.longest + 1))
    let line = LogBytes.index(of: lineEnd, in: bytes[...])
    guard LogBytes.index(of: CSVScan.quote, in: bytes.prefix(line ?? bytes.count)) == nil else {
      return rowWithQuotes(bytes, isLast)
    }
    guard let start = bytes.baseAddress, let end = line ?? (isLast ? bytes.count : nil) else {
      return bytes.count > CSVRows.longest ? .fault(CSVScan.tooLong) : .incomplete
    }
    if end > CSVRows.longest { return .fault(CSVScan.tooLong) }
    let ends = end > 0 && lineEnd == CSVScan.lineFeed && bytes[end - 1] == CSVScan.carriageReturn
    if !cells.split(start, ends ? end - 1 : end), let fault { return .fault(fault) }
    return .row(length: line == nil ? end : end + 1, lines: line == nil ? 0 : 1)
  }

  /// Scans byte by byte, because quoted cells may contain anything.
  private mutating func rowWithQuotes(_ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool) -> Found
  {
    (at, lines) = (0, 0)
    cells.begin()
    while true {
      let isQuoted = at < bytes.count && bytes[at] == CSVScan.quote
      let fault = isQuoted ? quoted(bytes) : plain(bytes)
      if at + 1 >= bytes.count, !isLineEnd(bytes) {
        // The bytes that follow decide how the last bytes are read.
        if bytes.count > CSVRows.longest { return .fault(CSVScan.tooLong) }
        if !isLast { return .incomplete }
      }
      if let fault { return .fault(fault) }
      cells.endCell()
      guard at < bytes.count, bytes[at] == delimiter else { break }
      at += 1
    }
    if lineEnd == CSVScan.lineFeed, at < bytes.count, bytes[at] == CSVScan.carriageReturn {
      at += 1
    }
    if at < bytes.count { (at, lines) = (at + 1, lines + 1) }
    return fault.map { .fault($0) } ?? .row(length: at, lines: lines)
  }

  /// Returns true if the bytes behind the cell end the line.
  private func isLineEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    at < bytes.count && bytes[at] == lineEnd
  }

  /// Scans a cell without quotes, up to the delimiter or the end of the line; returns what is wrong, or nil.
  private mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let start = at
    while at < bytes.count {
      let byte = bytes[at]
      if byte == delimiter || byte == lineEnd { break }
      if byte == CSVScan.carriageReturn, isEnd(bytes, at + 1) { break }
      if byte == CSVScan.quote { return "a quote inside a cell that began without one" }
      at += 1
    }
    cells.append(UnsafeBufferPointer(rebasing: bytes[start..<at]))
    return nil
  }

  /// Scans a cell in quotes, which may have several lines; returns what is wrong, or nil.
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
      if byte == lineEnd { lines += 1 }
      cells.append(byte)
    }
    return "a quote is never closed"
  }

  private func isEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    index >= bytes.count || bytes[index] == lineEnd
  }

  private func endsCell(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    isEnd(bytes, at) || bytes[at] == delimiter
      || bytes[at] == CSVScan.carriageReturn && isEnd(bytes, at + 1)
  }

  private var fault: String? { cells.notText.map { "cell \($0 + 1) is not UTF-8" } }

  private static let tooLong = "the row is longer than \(CSVRows.longest) bytes"
}
