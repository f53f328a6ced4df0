/// The bytes of a log, read block by block: only what is not taken yet is held.
struct LogBytes {
  /// Gives the next block, an empty one at the end.
  private let read: () throws -> [UInt8]
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The number of the line that what is not taken yet begins with, counted from 1.
  private(set) var line = 1

  init(_ read: @escaping () throws -> [UInt8]) { self.read = read }

  /// The byte at an offset from what is not taken yet, nil behind the end.
  subscript(offset: Int) -> UInt8? {
    mutating get throws {
      while start + offset >= buffer.count {
        guard try fill() else { return nil }
      }
      return buffer[start + offset]
    }
  }

  /// Takes that many bytes.
  mutating func take(_ count: Int, lines: Int) {
    start += count
    line += lines
  }

  /// Calls the body with all bytes that are held and not taken yet, and whether the log ends there.
  func withHeld<Answer>(_ body: (UnsafeBufferPointer<UInt8>, Bool) -> Answer) -> Answer {
    buffer.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start...]), isAtEnd) }
  }

  /// The bytes from one offset to another, which were looked at before.
  func bytes(_ from: Int, _ to: Int) -> ArraySlice<UInt8> { buffer[start + from..<start + to] }

  /// Takes the rest of the line with what ends it.
  mutating func takeLine() throws {
    while let byte = try self[0] {
      take(1, lines: byte == UInt8(ascii: "\n") ? 1 : 0)
      if byte == UInt8(ascii: "\n") { return }
    }
  }

  /// Takes a byte-order mark, if the log begins with one.
  mutating func takeMark() throws {
    if try self[0] == 0xef, try self[1] == 0xbb, try self[2] == 0xbf { take(3, lines: 0) }
  }

  /// Reads the next block; gives whether there was one.
  @discardableResult
  mutating func fill() throws -> Bool {
    guard !isAtEnd else { return false }
    let block = try read()
    isAtEnd = block.isEmpty
    buffer.removeSubrange(..<start)
    start = 0
    buffer += block
    return !isAtEnd
  }
}
