import Scenarios
import Testing

@testable import EventLogs

@Suite struct EventLogTests {
  private static let text = "case,do\nx,é\n"

  private func read(_ bytes: [UInt8], block: Int = 5) throws -> String? {
    guard case .text(let read) = try EventLog.open(source(bytes, block: block)) else { return nil }
    return try String(decoding: all(read), as: UTF8.self)
  }

  private func wide(_ text: String) -> [UInt8] {
    "\u{feff}\(text)".utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
  }

  @Test("plain and gzipped text, in UTF-8 or UTF-16, is read as UTF-8", arguments: [1, 600])
  func text(block: Int) throws {
    let text = EventLogTests.text
    #expect(try read(Array(text.utf8), block: block) == text)
    #expect(try read(packed(text.utf8), block: block) == text)
    #expect(try read(wide(text), block: block) == "\u{feff}\(text)")
    #expect(try read(packed(wide(text)), block: block) == "\u{feff}\(text)")
    #expect(try read([], block: block) == "")
    let long = String(repeating: text, count: 1_000)
    #expect(try read(packed(long.utf8), block: block) == long)
  }

  @Test("XML is read as XES, packed or not, in UTF-8 or UTF-16")
  func events() throws {
    let text = " \n<log><trace><event/></trace></log>"
    let forms = [
      Array(text.utf8), packed(text.utf8), wide("<log><trace><event/></trace></log>"),
      wide("<?xml version='1.0' encoding='UTF-8'?><log><trace><event/></trace></log>"),
      Array("\u{feff}<log><trace><event/></trace></log>".utf8),
    ]
    for bytes in forms {
      guard case .events(let next) = try EventLog.open(source(bytes)) else {
        Issue.record("no events")
        continue
      }
      #expect(try next()?.content == .fields(["case:concept:name": "1"]))
      #expect(try next() == nil)
    }
  }

  @Test("a log that is compressed twice, or is a cut-off gzip header, is rejected")
  func twice() throws {
    #expect(
      try refusal(of: packed(packed("a".utf8))) == "the log is compressed twice: unpack it once")
    #expect(try refusal(of: [0x1f])?.contains("ends at byte 1, too early") == true)
  }

  @Test(
    "a file of another format is rejected with the name of its format",
    arguments: [
      (
        Array("PK\u{3}\u{4}".utf8) + Array(repeating: 0, count: 26) + Array("a.csv".utf8),
        "a zip archive"
      ),
      (
        Array("PK\u{3}\u{4}".utf8) + Array(repeating: 0, count: 26)
          + Array("[Content_Types].xml".utf8), "an Office document, as an .xlsx workbook is"
      ),
      (
        Array("PK\u{3}\u{4}".utf8) + Array(repeating: 0, count: 26)
          + Array("mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK".utf8),
        "an OpenDocument file"
      ),
      (Array("%PDF-1.7\n".utf8), "a PDF"), (Array("PAR1\u{15}".utf8), "Parquet"),
      (Array("SQLite format 3\0".utf8), "an SQLite database"), (Array("BZh91AY&SY".utf8), "bzip2"),
      ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "xz"), ([0x28, 0xb5, 0x2f, 0xfd], "zstd"),
      ([0xd0, 0xcf, 0x11, 0xe0], "an old Office document"), ([0xff, 0xfe, 0, 0], "UTF-32"),
      (Array("<!DOCTYPE HTML><p>".utf8), "a web page"), (Array("[{}]".utf8), "a JSON array"),
      (Array("{\n  \"events\": []\n}".utf8), "one JSON document over several lines"),
      (Array("case,do\n".utf8).flatMap { [$0, 0] }, "iconv -f UTF-16LE"),
      (Array("case,do\n".utf8).flatMap { [0, $0] }, "iconv -f UTF-16BE"),
      ([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0], "binary data"),
      (Array("<scxml/>".utf8), "is XML, but begins with <scxml>; XES begins with <log>"),
    ] as [([UInt8], String)])
  func others(bytes: [UInt8], name: String) throws {
    #expect(try refusal(of: bytes)?.contains(name) == true)
    #expect(try refusal(of: packed(bytes))?.contains(name) == true)
  }

  @Test(
    "text that begins like another format is accepted as a log",
    arguments: ["BZh9 code,do\n", "Object,do\n", "{\"a\": 1}\n{\"a\": 2}\n", "a\n", "é,b\n", "{}"])
  func logs(text: String) throws { #expect(try refusal(of: text.utf8) == nil) }
}
