import Platform

/// A function that reads the next bytes of a log into a buffer and returns their number, 0 at the end.
package typealias LogSource = (UnsafeMutableRawBufferPointer) throws -> Int

/// The bytes of a log, read block by block: only bytes that are not taken yet are held.
final class LogBytes {
  /// The number of bytes in a block.
  static let block = 1 << 18

  private let read: LogSource
  // The buffer never holds more than one row and a block.
  private var buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: LogBytes.block)
  private var capacity = LogBytes.block
  private var start = 0
  private var end = 0
  private var isAtEnd = false
  /// The byte that ends a line: a line feed, or a carriage return in a log that has only these.
  private(set) var lineEnd = UInt8(ascii: "\n")
  /// The number of the line with which the bytes that are not taken yet begin, counted from 1.
  private(set) var line = 1

  init(_ read: @escaping LogSource) { self.read = read }

  deinit { buffer.deallocate() }

  /// The byte at an offset from the first byte that is not taken yet; nil after the end.
  subscript(offset: Int) -> UInt8? {
    get throws {
      while start + offset >= end {
        guard try fill() else { return nil }
      }
      return buffer[start + offset]
    }
  }

  /// The bytes that are held and not taken yet, valid until more are read.
  var held: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: buffer + start, count: end - start)
  }

  /// True if the log ends with the bytes that are held.
  var isWhole: Bool { isAtEnd }

  /// Drops so many bytes, which have so many line ends.
  func take(_ count: Int, lines: Int) {
    start += count
    line += lines
  }

  /// Returns the length of the next line without its end, in bytes.
  ///
  /// It reads at most `limit` + 1 bytes, and returns that number for a longer line.
  func lineLength(limit: Int) throws -> Int {
    var seen = 0
    while true {
      let held = held.prefix(limit + 1)
      if let found = LogBytes.index(of: lineEnd, in: held.dropFirst(seen)) {
        return found
      }
      seen = held.count
      if seen > limit { return seen }
      guard try fill() else { return seen }
    }
  }

  /// Drops the rest of the line, with its end.
  func takeLine() throws {
    while true {
      if let found = LogBytes.index(of: lineEnd, in: held[...]) {
        return take(found + 1, lines: 1)
      }
      take(held.count, lines: 0)
      guard try fill() else { return }
    }
  }

  /// Drops a byte-order mark, if the log begins with one.
  func takeMark() throws {
    if try self[0] == 0xef, try self[1] == 0xbb, try self[2] == 0xbf { take(3, lines: 0) }
  }

  /// Drops empty lines.
  func takeEmptyLines() throws {
    while let byte = try self[0], byte == 10 || byte == 13 {
      take(1, lines: byte == lineEnd ? 1 : 0)
    }
  }

  /// Determines the byte that ends lines, from the first line end outside of quotes.
  func findLineEnd() throws {
    let isJSON = try self[0] == UInt8(ascii: "{")
    var (offset, isQuoted) = (0, false)
    while offset <= CSVRows.longest, let byte = try self[offset] {
      if byte == UInt8(ascii: "\""), !isJSON { isQuoted.toggle() }
      if !isQuoted, byte == 10 { return }
      if !isQuoted, byte == 13 {
        if try self[offset + 1] != 10 { lineEnd = byte }
        return
      }
      offset += 1
    }
  }

  /// Reads the next block; returns false if there is none.
  @discardableResult
  func fill() throws -> Bool {
    guard !isAtEnd else { return false }
    if start > 0 {
      buffer.update(from: buffer + start, count: end - start)
      (start, end) = (0, end - start)
    }
    if capacity - end < LogBytes.block / 2 { grow() }
    let count = try read(UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity - end))
    end += min(max(count, 0), capacity - end)
    isAtEnd = count <= 0
    return !isAtEnd
  }

  private func grow() {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
    larger.update(from: buffer, count: end)
    buffer.deallocate()
    (buffer, capacity) = (larger, capacity * 2)
  }

  /// Returns the index of the first such byte, in the buffer of the slice.
  static func index(of byte: UInt8, in slice: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard !slice.isEmpty, let base = slice.base.baseAddress else { return nil }
    guard let found = memchr(base + slice.startIndex, Int32(byte), slice.count) else { return nil }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
  }
}
