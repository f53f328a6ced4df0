/// Reads the rows of a CSV text as RFC 4180 describes it.
///
/// Quoted cells may hold commas, quotes (doubled) and line ends. After what is no row, reading goes
/// on with the line below the one in which that row began.
struct CSVRows {
  /// How long a row may be: a quote that is never closed shall not take in the whole log.
  static let longest = 1 << 20

  private var cell: [UInt8] = []

  /// The next row with the number of its first line, nil at the end.
  ///
  /// Empty lines are no rows.
  mutating func next(_ log: inout LogBytes) throws -> (line: Int, row: LogRow)? {
    while let byte = try log[0], byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
      log.take(1, lines: byte == UInt8(ascii: "\n") ? 1 : 0)
    }
    guard try log[0] != nil else { return nil }
    let line = log.line
    switch try row(&log) {
    case .success(let (cells, length, lines)):
      log.take(length, lines: lines)
      return (line, .cells(cells))
    case .failure(let fault):
      try log.takeLine()
      return (line, .malformed(fault.description))
    }
  }

  private typealias Read = (cells: [String], length: Int, lines: Int)

  private mutating func row(_ log: inout LogBytes) throws -> Result<Read, Fault> {
    var cells: [String] = []
    var at = 0
    var lines = 0
    while true {
      let isQuoted = try log[at] == UInt8(ascii: "\"")
      let fault = isQuoted ? try quoted(&log, &at, &lines) : try plain(&log, &at)
      if let fault { return .failure(fault) }
      guard let text = String(validating: cell, as: UTF8.self) else {
        return .failure(.init("cell \(cells.count + 1) is not UTF-8"))
      }
      cells.append(text)
      if try log[at] == UInt8(ascii: ",") {
        at += 1
        continue
      }
      if try log[at] == UInt8(ascii: "\r") { at += 1 }
      if try log[at] == UInt8(ascii: "\n") {
        at += 1
        lines += 1
      }
      return .success((cells, at, lines))
    }
  }

  /// Reads up to the comma or the line's end.
  private mutating func plain(_ log: inout LogBytes, _ at: inout Int) throws -> Fault? {
    let start = at
    while let byte = try log[at], byte != UInt8(ascii: ","), byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\r"), try CSVRows.isEnd(log[at + 1]) { break }
      if byte == UInt8(ascii: "\"") { return .init("a quote inside a cell that began without one") }
      at += 1
      if at > CSVRows.longest { return .tooLong }
    }
    cell = Array(log.bytes(start, at))
    return nil
  }

  /// Reads a cell in quotes, which may go over several lines.
  private mutating func quoted(_ log: inout LogBytes, _ at: inout Int, _ lines: inout Int) throws
    -> Fault?
  {
    cell.removeAll(keepingCapacity: true)
    at += 1
    while let byte = try log[at] {
      at += 1
      if at > CSVRows.longest { return .tooLong }
      if byte == UInt8(ascii: "\"") {
        let next = try log[at]
        if next == UInt8(ascii: "\"") {
          at += 1
        } else if try CSVRows.endsCell(next, log[at + 1]) {
          return nil
        } else {
          return .init("something follows the quote that closes a cell")
        }
      }
      if byte == UInt8(ascii: "\n") { lines += 1 }
      cell.append(byte)
    }
    return .init("a quote is never closed")
  }

  private static func isEnd(_ byte: UInt8?) -> Bool { byte == nil || byte == UInt8(ascii: "\n") }

  private static func endsCell(_ byte: UInt8?, _ next: @autoclosure () throws -> UInt8?) rethrows
    -> Bool
  {
    if isEnd(byte) || byte == UInt8(ascii: ",") { return true }
    return try byte == UInt8(ascii: "\r") && isEnd(next())
  }

  private struct Fault: Error {
    let description: String
    init(_ description: String) { self.description = description }
    static let tooLong = Fault("the row is longer than \(CSVRows.longest) bytes")
  }
}
