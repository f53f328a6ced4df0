import Testing

@testable import Scenarios

@Suite struct CSVRowsTests {
  /// Reads the rows of a text, a few bytes at a time.
  private func rows(_ text: String, block: Int = 3) throws -> [String] {
    let log = LogBytes(source(text.utf8, block: block))
    var csv = CSVRows()
    var rows: [String] = []
    while let (line, row) = try csv.next(log) {
      switch row {
      case .cells(let cells): rows.append("\(line) \((0..<cells.count).map(cells.string))")
      case .malformed(let reason): rows.append("\(line) \(reason)")
      case .fields: rows.append("fields")
      }
    }
    return rows
  }

  @Test("cells are split at commas, and rows at line ends of either kind, the last with or without")
  func plain() throws {
    #expect(try rows("a,b\r\nc,\n\n,d") == [#"1 ["a", "b"]"#, #"2 ["c", ""]"#, #"4 ["", "d"]"#])
  }

  @Test("quoted cells may contain commas, quotes and line ends, and lines are counted")
  func quoted() throws {
    #expect(
      try rows("\"a,\"\"b\"\"\",\"c\r\nd\"\r\ne,f\n")
        == [#"1 ["a,\"b\"", "c\r\nd"]"#, #"3 ["e", "f"]"#])
  }

  @Test(
    "a malformed row is reported with its line, and the next line is read",
    arguments: [
      ("a\"b,c\nd\n", "1 a quote inside a cell that began without one"),
      ("\"a\"b\nd\n", "1 something follows the quote that closes a cell"),
      ("\"a\nd\n", "1 a quote is never closed"),
    ])
  func faults(text: String, fault: String) throws {
    #expect(try rows(text) == [fault, #"2 ["d"]"#])
  }
}
