import CLineEdit
import Platform

/// A reader of the lines of a file descriptor that detects lines that are not text.
struct LineReader {
  enum Line: Equatable {
    case text(String)
    /// The line has bytes that are not UTF-8.
    case unreadable
    /// The line exceeds the maximum length of an input; its content is dropped.
    case tooLong
    /// Ctrl-C was pressed.
    case interrupted
  }

  /// The maximum length of a line, and of an input of several lines, in bytes.
  static let longest = 1 << 20

  /// The number of the last line that was read, counted from 1.
  private(set) var number = 0
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var isAtEnd = false
  /// True if Ctrl-C ends a line; otherwise reading goes on.
  var endsAtInterrupt = false
  private var wasInterrupted = false

  init(descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

  /// Returns the next line without its line end; nil at the end of the input.
  mutating func next() -> Line? {
    var searched = 0
    var isTooLong = false
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        return removeLine(end, dropping: end + 1, isTooLong)
      }
      if isAtEnd {
        let isOver = buffer.isEmpty && !isTooLong
        return isOver ? nil : removeLine(buffer.count, dropping: buffer.count, isTooLong)
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

  private mutating func removeLine(_ length: Int, dropping dropped: Int, _ isTooLong: Bool) -> Line
  {
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

  /// Reads the next block.
  ///
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
