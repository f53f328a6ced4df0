import Testing

@testable import Scenarios

@Suite struct LogBytesTests {
  @Test("bytes are read on demand, up to the end")
  func offsets() throws {
    let log = LogBytes(source("abc".utf8, block: 1))
    #expect(try log[2] == UInt8(ascii: "c"))
    #expect(try log[3] == nil)
    #expect(log.isWhole)
    log.take(2, lines: 0)
    #expect(try log[0] == UInt8(ascii: "c"))
    #expect(Array(log.held) == Array("c".utf8))
  }

  @Test("lines are counted as they are read, the last without an end too")
  func lines() throws {
    let log = LogBytes(source("a\n\nbc".utf8, block: 2))
    #expect(log.line == 1)
    try log.takeLine()
    #expect(log.line == 2)
    try log.takeLine()
    #expect(log.line == 3)
    #expect(try log.lineLength(limit: 10) == 2)
    try log.takeLine()
    #expect(log.line == 3)
    #expect(try log[0] == nil)
    try log.takeLine()
  }

  @Test("a line is measured up to the limit only")
  func limit() throws {
    #expect(try LogBytes(source("abcd\n".utf8)).lineLength(limit: 4) == 4)
    #expect(try LogBytes(source("abcde\n".utf8, block: 2)).lineLength(limit: 4) == 5)
  }

  @Test("a byte-order mark is skipped, and half of one is not")
  func mark() throws {
    for (bytes, rest) in [
      ([0xef, 0xbb, 0xbf, 97], [97]), ([0xef, 0xbb, 97], [0xef, 0xbb, 97]), ([0xef], [0xef]),
      ([], []),
    ] as [([UInt8], [UInt8])] {
      let log = LogBytes(source(bytes, block: 1))
      try log.takeMark()
      while try log.fill() {}
      #expect(Array(log.held) == rest)
    }
  }

  @Test("a row of any length is kept in the buffer, and read bytes are discarded")
  func grows() throws {
    let bytes = (0..<3 * LogBytes.block).map { UInt8($0 % 250) }
    let log = LogBytes(source(bytes, block: 100_000))
    while try log.fill() {}
    #expect(Array(log.held) == bytes)
    log.take(1_000, lines: 0)
    #expect(log.held.first == bytes[1_000])
  }

  @Test("an error of the source is thrown by the reader")
  func error() {
    let log = LogBytes { _ in throw LogError(description: "gone") }
    #expect(throws: LogError.self) { try log[0] }
  }
}
