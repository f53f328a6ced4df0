import Testing

@testable import Scenarios

@Suite struct CSVScanTests {
  /// Reads the rows of bytes, in blocks of that size.
  private func rows(_ bytes: [UInt8], block: Int) throws -> [String] {
    let log = LogBytes(source(bytes, block: block))
    try log.takeMark()
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

  @Test("a byte-order mark at the start is no part of the first cell")
  func mark() throws {
    #expect(try rows([0xef, 0xbb, 0xbf] + Array("a,é\n".utf8), block: 2) == [#"1 ["a", "é"]"#])
  }

  @Test("a cell that is not UTF-8 makes only its own row malformed")
  func invalid() throws {
    #expect(
      try rows(Array("a,".utf8) + [0xc3, 10] + Array("b,c".utf8), block: 1)
        == ["1 cell 2 is not UTF-8", #"2 ["b", "c"]"#])
  }

  @Test("a character split by a comma is not valid UTF-8")
  func split() throws {
    #expect(try rows([0xc3, 44, 0xa9, 10], block: 8) == ["1 cell 1 is not UTF-8"])
  }

  @Test("a row at the length limit is read, and one byte more is malformed")
  func longest() throws {
    let row = [UInt8](repeating: 97, count: CSVRows.longest)
    #expect(try rows(row + [10, 98], block: 1 << 16).count == 2)
    #expect(
      try rows(row + [97, 10, 98], block: 1 << 16)
        == ["1 the row is longer than 1048576 bytes", #"2 ["b"]"#])
  }

  @Test("an unclosed quote extends at most to the longest row")
  func open() throws {
    let rows = try rows(
      [34] + [UInt8](repeating: 97, count: CSVRows.longest + 5) + [10, 98], block: 1 << 16)
    #expect(rows == ["1 the row is longer than 1048576 bytes", #"2 ["b"]"#])
  }

  @Test("rows do not depend on the size of the blocks")
  func blocks() throws {
    let text = Array("a,\"b\"\"\r\n\",\r\n\"\",\"c\"\r\nd\r,e\rf\n\"g\"h\n,\"i".utf8)
    let whole = try rows(text, block: text.count)
    for block in 1..<text.count { #expect(try rows(text, block: block) == whole) }
    #expect(whole.count == 5)
  }
}
