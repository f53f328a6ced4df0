import LuaRuntime

/// An error that says why a log cannot be replayed at all.
package struct LogError: Error, CustomStringConvertible {
  /// A sentence about the error.
  package let description: String

  package init(description: String) { self.description = description }
}

/// A reader of a log, row by row.
///
/// A log is CSV with a header, JSON lines, which begin with a brace, or events that another reader returns.
struct LogReader {
  private let log: LogBytes
  /// The events that replace the text of a log.
  private let events: LogInput.Events?
  private var csv: CSVRows
  /// The character between the cells of a CSV row.
  let delimiter: UInt8
  /// The names of the columns; nil for JSON lines, where each row has its own.
  let header: [String]?
  /// The names that several columns have.
  let doubled: Set<String>

  /// Reads the header, if there is one.
  ///
  /// - Throws: `LogError` if the header cannot be read.
  init(_ input: LogInput) throws {
    switch input {
    case .text(let read): try self.init(read)
    case .events(let events): self.init(events)
    }
  }

  private init(_ events: @escaping LogInput.Events) {
    self.events = events
    log = LogBytes { _ in 0 }
    delimiter = LogReader.comma
    csv = CSVRows(delimiter: delimiter)
    (header, doubled) = (nil, [])
  }

  init(_ read: @escaping LogSource) throws {
    events = nil
    log = LogBytes(read)
    try log.takeMark()
    try log.findLineEnd()
    delimiter = try LogReader.saidDelimiter(of: log) ?? LogReader.delimiter(of: log)
    csv = CSVRows(delimiter: delimiter)
    guard try log[0] != UInt8(ascii: "{") else {
      (header, doubled) = (nil, [])
      return
    }
    switch try csv.next(log) {
    case nil: throw LogError(description: "the log is empty")
    case (let line, .malformed(let reason))?:
      throw LogError(description: "line \(line): the header cannot be read: \(reason)")
    case (_, .cells(let cells))?:
      let names = (0..<cells.count).map(cells.string)
      header = names
      doubled = Set(Dictionary(grouping: names, by: { $0 }).filter { $1.count > 1 }.keys)
    case (_, .fields)?: (header, doubled) = (nil, [])
    }
  }

  private static let comma = UInt8(ascii: ",")

  /// The characters that may be between cells, the most usual first.
  private static let delimiters = ",;\t|".utf8

  /// Reads the line `sep=;`, by which spreadsheets name the delimiter, if the log begins with one.
  private static func saidDelimiter(of log: LogBytes) throws -> UInt8? {
    try log.takeEmptyLines()
    let length = try log.lineLength(limit: 8)
    let line = String(decoding: log.held.prefix(length), as: UTF8.self)
      .filter { $0 != "\"" && !$0.isNewline }
    guard length <= 8, line.lowercased().hasPrefix("sep="), line.utf8.count <= 5 else {
      return nil
    }
    let sign = line.utf8.dropFirst(4).first
    guard sign.map({ $0 < 0x80 }) ?? true else { return nil }
    try log.takeLine()
    return sign
  }

  /// Returns the delimiter that is most frequent, outside of quotes, in the first line that is not empty.
  private static func delimiter(of log: LogBytes) throws -> UInt8 {
    try log.takeEmptyLines()
    let length = try log.lineLength(limit: CSVRows.longest)
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in log.held.prefix(length) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    return delimiters.reduce(comma) { best, next in
      counts[next, default: 0] > counts[best, default: 0] ? next : best
    }
  }

  /// Returns a column by its name; nil if the header does not have it.
  ///
  /// - Throws: `LogError` if several columns have the name.
  func column(_ name: String) throws -> LogColumn? {
    guard let header else { return LogColumn(name: name, index: nil) }
    if doubled.contains(name) {
      throw LogError(
        description: "the header names the column \(Value.quoted(name, limit: 60)) twice")
    }
    return header.firstIndex(of: name).map { LogColumn(name: name, index: $0) }
  }

  /// Returns the next row with the number of its first line, or nil at the end.
  mutating func next() throws -> (line: Int, row: LogRow)? {
    if let events { return try events().map { ($0.line, .init($0)) } }
    guard let header else { return try nextObject() }
    guard let (line, row) = try csv.next(log) else { return nil }
    guard case .cells(let cells) = row, cells.count != header.count else { return (line, row) }
    return (
      line, .malformed("\(cells.count) cells, but the header names \(header.count) columns")
    )
  }

  private func nextObject() throws -> (line: Int, row: LogRow)? {
    while try log[0] != nil {
      let line = log.line
      let length = try log.lineLength(limit: CSVRows.longest)
      guard length <= CSVRows.longest else {
        try log.takeLine()
        return (line, .malformed("the row is longer than \(CSVRows.longest) bytes"))
      }
      let text = String(validating: log.held.prefix(length), as: UTF8.self)
      try log.takeLine()
      guard let text else { return (line, .malformed("the row is not UTF-8")) }
      if text.utf8.allSatisfy({ $0 == 32 || (9...13).contains($0) }) { continue }
      return (line, LogReader.object(text))
    }
    return nil
  }

  private static func object(_ text: String) -> LogRow {
    do {
      guard case .record(let fields) = try JSONText.value(of: text) else {
        return .malformed("the row is not a JSON object")
      }
      return .fields(fields)
    } catch {
      return .malformed("not JSON: \(error)")
    }
  }
}
