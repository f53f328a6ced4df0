import Testing

@testable import Scenarios

@Suite struct LogReaderTests {
  private func rows(_ bytes: some Sequence<UInt8>, block: Int = 5) throws -> [String] {
    var reader = try LogReader(source(bytes, block: block))
    var rows: [String] = []
    while let (line, row) = try reader.next() {
      switch row {
      case .cells(let cells): rows.append("\(line) \((0..<cells.count).map(cells.string))")
      case .fields(let fields): rows.append("\(line) \(fields.keys.sorted())")
      case .malformed(let reason): rows.append("\(line) \(reason)")
      }
    }
    return rows
  }

  @Test("the first row names the columns, and rows must match them")
  func header() throws {
    let reader = try LogReader(source("\u{feff}\"a, b\",c\r\n1,2\r\n".utf8))
    #expect(reader.header == ["a, b", "c"])
    #expect(try reader.column("c")?.index == 1)
    #expect(try reader.column("d") == nil)
    #expect(
      try rows("a,b\r\n1,2\r\n3\r\n4,5,6\r\n".utf8)
        == [
          #"2 ["1", "2"]"#, "3 1 cells, but the header names 2 columns",
          "4 3 cells, but the header names 2 columns",
        ])
  }

  @Test(
    "a log without a readable header is an error with the reason",
    arguments: [
      ("", "the log is empty"), ("\n\r\n", "the log is empty"), ("\u{feff}", "the log is empty"),
      (
        "a\"b\n1\n",
        "line 1: the header cannot be read: a quote inside a cell that began without one"
      ),
      ("\n\"a\n1\n", "line 2: the header cannot be read: a quote is never closed"),
    ])
  func noHeader(text: String, reason: String) {
    #expect {
      try LogReader(source(text.utf8))
    } throws: { error in
      "\(error)" == reason
    }
  }

  @Test("an unnamed or duplicate column is an error only if it is read")
  func doubled() throws {
    #expect(try rows("a,,b,,b\n1,2,3,4,5\n".utf8) == [#"2 ["1", "2", "3", "4", "5"]"#])
    let reader = try LogReader(source("a,,b,,b\n".utf8))
    #expect(try reader.column("a")?.index == 0)
    let error = #expect(throws: LogError.self) { try reader.column("b") }
    #expect(error?.description == "the header names the column \"b\" twice")
  }

  @Test(
    "a first line sep= determines the separator, whatever the header contains",
    arguments: [
      "sep=;\na,b;c,d\n1,2;3,4\n", "\u{feff}SEP=;\r\na,b;c,d\r\n1,2;3,4\r\n",
      "\"sep=;\"\na,b;c,d\n1,2;3,4\n", "sep=;\ra,b;c,d\r1,2;3,4\r",
      "sep=^\na,b^c,d\n1,2^3,4\n",
    ])
  func sep(text: String) throws {
    #expect(try rows(text.utf8) == [#"3 ["1,2", "3,4"]"#])
  }

  @Test("a column may have a name that starts like a sep= line")
  func noSep() throws {
    #expect(try rows("separator,b\n1,2\n".utf8) == [#"2 ["1", "2"]"#])
    #expect(try rows("sep=,;\n".utf8) == [])
  }

  @Test("lines may end with a carriage return only, in CSV and in JSON lines", arguments: 1..<9)
  func carriageReturns(block: Int) throws {
    #expect(
      try rows("a,b\r1,2\r\r\"3\r\",4\r5\r6,7".utf8, block: block)
        == [
          #"2 ["1", "2"]"#, #"4 ["3\r", "4"]"#, "6 1 cells, but the header names 2 columns",
          #"7 ["6", "7"]"#,
        ])
    #expect(
      try rows("{\"a\":1}\r{\"b\":2}\r\r[]\r".utf8, block: block)
        == [#"1 ["a"]"#, #"2 ["b"]"#, "4 the row is not a JSON object"])
  }

  @Test("unclosed quotes are reported with the line on which they began")
  func unclosed() throws {
    #expect(
      try rows("a,b\n1,\"2\n3,4\n".utf8) == ["2 a quote is never closed", #"3 ["3", "4"]"#])
    #expect(try rows("a\n\"".utf8) == ["2 a quote is never closed"])
  }

  @Test("a NUL is an ordinary character, in CSV and between quotes")
  func nul() throws {
    #expect(try rows("a,b\n\0,\"\0\"\n".utf8) == [#"2 ["\0", "\0"]"#])
  }

  @Test("JSON lines are counted one per line, however long or malformed")
  func jsonLines() throws {
    let text = """
      {"a":1}

      [1]
      {"b":
      null
      {"c":"\\u00"}
      \t
      {"a":1,"d":{}} x
      {"e":true}
      """
    #expect(
      try rows(text.utf8)
        == [
          #"1 ["a"]"#, "3 the row is not a JSON object",
          "4 not JSON: column 6: the text ends before the value does",
          "5 the row is not a JSON object",
          "6 not JSON: column 9: expected four hexadecimal digits",
          "8 not JSON: column 16: unexpected text after the value", #"9 ["e"]"#,
        ])
  }

  @Test("a JSON line that is not UTF-8, or is too long, makes only itself malformed")
  func badLines() throws {
    #expect(
      try rows(Array("{}\n{\"".utf8) + [0xff] + Array("\":1}\n{}".utf8))
        == ["1 []", "2 the row is not UTF-8", "3 []"])
    let long = [UInt8](repeating: 32, count: CSVRows.longest)
    #expect(
      try rows(Array("{}\n{".utf8) + long + Array("}\n{}\n".utf8), block: 1 << 16)
        == ["1 []", "2 the row is longer than 1048576 bytes", "3 []"])
    #expect(
      try rows(Array("{".utf8) + long.dropLast(2) + Array("}\n{}\n".utf8), block: 1 << 16)
        == ["1 []", "2 []"])
  }
}
