import Foundation
import Testing

@testable import MoonlatchCLI

@Suite struct LineReaderTests {
  private func lines(_ data: Data) throws -> [LineReader.Line] {
    let folder = try TemporaryFolder()
    try folder.write(data, to: "in")
    let file = try FileHandle(forReadingFrom: folder.url.appending(path: "in"))
    var reader = LineReader(descriptor: file.fileDescriptor)
    var lines: [LineReader.Line] = []
    while let line = reader.next() { lines.append(line) }
    #expect(reader.number == lines.count)
    return lines
  }

  @Test("lines come without what ends them, the last one with or without an end")
  func ends() throws {
    #expect(try lines(Data("a\nb\r\n\nc".utf8)) == [.text("a"), .text("b"), .text(""), .text("c")])
    #expect(try lines(Data("a\n".utf8)) == [.text("a")])
    #expect(try lines(Data()) == [])
  }

  @Test("a line may be longer than what is read at once, and characters may lie across")
  func long() throws {
    let long = String(repeating: "é", count: 10_000)
    #expect(try lines(Data("x\(long)\n\(long)".utf8)) == [.text("x" + long), .text(long)])
  }

  @Test("bytes that are no text spoil only their line")
  func unreadable() throws {
    #expect(
      try lines(Data("a\n".utf8) + [0xff, 0xfe, 0x0a] + Data("b".utf8))
        == [.text("a"), .unreadable, .text("b")])
  }
}
