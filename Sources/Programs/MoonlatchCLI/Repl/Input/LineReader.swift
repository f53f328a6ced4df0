import CLineEdit
import Platform

/// Reads a file descriptor line by line and notices what is not text.
struct LineReader {
  enum Line: Equatable {
    case text(String)
    /// Bytes that are not UTF-8.
    case unreadable
    /// One that is longer than any input may be; nothing of it is kept.
    case tooLong
    /// Ctrl-C.
    case interrupted
  }

  /// The bytes that a line may have, and an input of several.
  static let longest = 1 << 20

  /// The number of the line that was read last, counted from 1.
  private(set) var number = 0
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var isAtEnd = false
  /// Whether Ctrl-C ends a line rather than being waited out.
  var endsAtInterrupt = false
  private var wasInterrupted = false

  init(descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

  /// The next line without what ends it, or nil at the end of the input.
  mutating func next() -> Line? {
    var searched = 0
    var isTooLong = false
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        return take(end, dropping: end + 1, isTooLong)
      }
      if isAtEnd {
        let isOver = buffer.isEmpty && !isTooLong
        return isOver ? nil : take(buffer.count, dropping: buffer.count, isTooLong)
      }
      if buffer.count > LineReader.longest {
        isTooLong = true
        buffer.removeAll(keepingCapacity: true)
      }
      searched = buffer.count
      fill()
      if wasInterrupted {
        wasInterrupted = false
        buffer = []
        return .interrupted
      }
    }
  }

  private mutating func take(_ length: Int, dropping dropped: Int, _ isTooLong: Bool) -> Line {
    if isTooLong || length > LineReader.longest {
      buffer.removeSubrange(..<dropped)
      number += 1
      return .tooLong
    }
    var bytes = buffer[..<length]
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    let text = String(validating: bytes, as: UTF8.self)
    buffer.removeSubrange(..<dropped)
    number += 1
    return text.map(Line.text) ?? .unreadable
  }

  /// At a terminal, Ctrl-D ends the input; what was typed before it on its line still counts.
  private mutating func fill() {
    var block = [UInt8](repeating: 0, count: 4096)
    var count = 0
    if endsAtInterrupt && !line_wait_for_input() {
      wasInterrupted = true
      return
    }
    repeat { count = read(descriptor, &block, block.count) } while count < 0 && errno == EINTR
    if count > 0 { buffer += block[..<count] } else { isAtEnd = true }
  }
}
