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

  @Test("lines are read without their line ends, the last one with or without an end")
  func ends() throws {
    #expect(try lines(Data("a\nb\r\n\nc".utf8)) == [.text("a"), .text("b"), .text(""), .text("c")])
    #expect(try lines(Data("a\n".utf8)) == [.text("a")])
    #expect(try lines(Data()) == [])
  }

  @Test("a line may be longer than the buffer, and characters may span buffers")
  func long() throws {
    let long = String(repeating: "é", count: 10_000)
    #expect(try lines(Data("x\(long)\n\(long)".utf8)) == [.text("x" + long), .text(long)])
  }

  @Test("a line of more than a megabyte is too long, and the next one is read")
  func tooLong() throws {
    let long = String(repeating: "x", count: LineReader.longest)
    #expect(
      try lines(Data("a\n\(long)\n\(long)x\n\(long)\(long)\nb".utf8))
        == [.text("a"), .text(long), .tooLong, .tooLong, .text("b")])
    #expect(try lines(Data("\(long)\(long)".utf8)) == [.tooLong])
    #expect(try lines(Data("\(long)y".utf8)) == [.tooLong])
  }

  @Test("invalid UTF-8 spoils only its own line")
  func unreadable() throws {
    #expect(
      try lines(Data("a\n".utf8) + [0xff, 0xfe, 0x0a] + Data("b".utf8))
        == [.text("a"), .unreadable, .text("b")])
  }
}
