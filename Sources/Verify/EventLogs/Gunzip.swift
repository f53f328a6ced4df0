import CZlib
import Scenarios

/// A decompressor of gzip that works on the fly: one member, or several in sequence, as in RFC 1952.
///
/// Its memory is constant, whatever the text unpacks to: an input buffer of 64 KiB, and about 40 KiB of zlib.
final class Gunzip {
  private static let block = 1 << 16

  private let source: LogSource
  // Zlib stores the address of the stream, so that it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutablePointer<UInt8>
  private var isReady: Bool
  /// True between members, where the data may end.
  private var isBetween = false
  private var isPadding = false
  private var isAtEnd = false
  private var taken = 0

  init(_ source: @escaping LogSource) {
    self.source = source
    input = .allocate(capacity: Gunzip.block)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15: the largest window; 16: gzip, and nothing else.
    let size = Int32(MemoryLayout<z_stream>.size)
    isReady = inflateInit2_(stream, 15 + 16, zlibVersion(), size) == Z_OK
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  /// Decompresses the next bytes, and returns their number, 0 at the end.
  ///
  /// - Throws: `LogError` if the data is damaged or cut off; any error of the source.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard isReady else {
      throw LogError(description: "there is not enough memory to unpack the log")
    }
    let room = UInt32(clamping: buffer.count)
    stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_out = room
    while !isAtEnd {
      if stream.pointee.avail_in == 0 { try fill() }
      if isAtEnd { break }
      if isBetween {
        try beginMember()
        continue
      }
      try unpack()
      let count = Int(room - stream.pointee.avail_out)
      if count > 0 { return count }
    }
    return 0
  }

  private func fill() throws {
    let room = UnsafeMutableRawBufferPointer(start: input, count: Gunzip.block)
    let count = min(max(try source(room), 0), Gunzip.block)
    stream.pointee.next_in = input
    stream.pointee.avail_in = UInt32(count)
    taken += count
    guard count == 0 else { return }
    guard isBetween else {
      throw LogError(
        description: "the log is cut off: its compressed data ends at byte \(taken), too early")
    }
    isAtEnd = true
  }

  private func unpack() throws {
    switch inflate(stream, Z_NO_FLUSH) {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isBetween = true
    case Z_MEM_ERROR: throw LogError(description: "there is not enough memory to unpack the log")
    default:
      let reason = stream.pointee.msg.map { ": \(String(cString: $0))" } ?? ""
      throw LogError(description: "the log's compressed data is damaged at byte \(at)\(reason)")
    }
  }

  /// Begins the next member, and skips zeros that pad the last block of a tape.
  private func beginMember() throws {
    guard let next = stream.pointee.next_in?.pointee else { return }
    if next == 0 {
      isPadding = true
      stream.pointee.next_in += 1
      stream.pointee.avail_in -= 1
    } else if next == 0x1f, !isPadding {
      isBetween = false
      isReady = inflateReset(stream) == Z_OK
    } else {
      throw LogError(
        description: "the log's compressed data ends at byte \(at), but something else follows it")
    }
  }

  /// The number of compressed bytes that were consumed.
  private var at: Int { taken - Int(stream.pointee.avail_in) }
}
