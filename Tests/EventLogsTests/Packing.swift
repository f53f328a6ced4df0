import CZlib
import Scenarios

@testable import EventLogs

/// Returns bytes in gzip format.
func packed(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  var input = Array(bytes)
  var stream = z_stream()
  return withUnsafeMutablePointer(to: &stream) { stream in
    deflateInit2_(
      stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, zlibVersion(),
      Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(stream) }
    var output = [UInt8](repeating: 0, count: input.count + 100)
    let room = output.count
    input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(room)
        deflate(stream, Z_FINISH)
      }
    }
    return Array(output.prefix(room - Int(stream.pointee.avail_out)))
  }
}

/// Returns bytes a few at a time, as `read` may.
func source(_ bytes: some Sequence<UInt8>, block: Int = 7) -> LogSource {
  var rest = Array(bytes)[...]
  return { buffer in
    let next = rest.prefix(min(block, buffer.count))
    buffer.copyBytes(from: next)
    rest = rest.dropFirst(next.count)
    return next.count
  }
}

/// Returns all bytes of a source, read in blocks of the given size.
func all(_ source: LogSource, block: Int = 1 << 16) throws -> [UInt8] {
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: block)
  while true {
    let count = try buffer.withUnsafeMutableBytes { try source($0) }
    guard count > 0 else { return all }
    all += buffer.prefix(count)
  }
}

/// Returns the error of opening a log and reading it to its end; nil if there is none.
func refusal(of bytes: some Sequence<UInt8>) throws -> String? {
  do {
    switch try EventLog.open(source(bytes, block: 1 << 16)) {
    case .text(let read): _ = try all(read)
    case .events(let next): while try next() != nil {}
    }
    return nil
  } catch let error as LogError {
    return error.description
  }
}
