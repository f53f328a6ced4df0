import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A reader of values from another process, each preceded by its length in four bytes.
struct FrameReader {
  private var buffer: [UInt8] = []
  private var start = 0

  /// Reads the bytes that have arrived; returns false at the end of the stream.
  mutating func fill(from descriptor: Int32) -> Bool {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      start = 0
    }
    let size = 65_536
    let part = [UInt8](unsafeUninitializedCapacity: size) { bytes, used in
      used = max(0, RegularFile.read(from: descriptor, into: UnsafeMutableRawBufferPointer(bytes)))
    }
    if buffer.isEmpty { buffer = part } else { buffer += part }
    return !part.isEmpty
  }

  /// Returns the next complete value, or nil.
  mutating func next() -> Value? {
    guard buffer.count - start >= 4 else { return nil }
    let length = (0..<4).reduce(0) { $0 | Int(buffer[start + $1]) << (8 * $1) }
    guard buffer.count - start - 4 >= length else { return nil }
    let range = start + 4..<start + 4 + length
    start = range.upperBound
    return buffer.withUnsafeBytes { bytes in
      var reader = ValueReader(UnsafeRawBufferPointer(rebasing: bytes[range]))
      // These are our own bytes: a value that cannot be decoded would be our own mistake.
      return (try? reader.value()) ?? .nil
    }
  }
}

/// A writer that collects values and writes them at once.
struct FrameWriter {
  private var buffer: [UInt8] = []

  mutating func add(_ value: Value) {
    var writer = ValueWriter()
    writer.write(value)
    for shift in 0..<4 {
      buffer.append(UInt8(truncatingIfNeeded: writer.bytes.count >> (8 * shift)))
    }
    buffer += writer.bytes
  }

  /// Writes the collected values; returns false if nobody reads any more.
  mutating func flush(to descriptor: Int32) -> Bool {
    defer { buffer.removeAll(keepingCapacity: true) }
    return Terminal.writeAll(buffer, to: descriptor)
  }
}
