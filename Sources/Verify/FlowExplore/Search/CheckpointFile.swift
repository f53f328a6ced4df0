import CChecksum
import CExplore
import FlowLanguage
import Platform

/// The format of checkpoint files.
///
/// A file consists of its first line, the identity of the exploration, the data of the Swift side and of the search,
/// and finally the number of bytes and their checksum.
enum CheckpointFile {
  /// The first line of the files, which identifies them.
  static let mark = "moonlatch exploration checkpoint 1\n"

  /// The size of the trailer in bytes: the number of preceding bytes, and their checksum.
  static let ending = 12
}

/// A writer of a checkpoint: an existing file is replaced only by a complete new one.
final class CheckpointWriter {
  private let file: OutputFile
  private var sum: UInt32 = 0
  private var count = 0
  /// The error of the first write that failed; nil if none has.
  private(set) var refused: OutputFile.Refused?

  init(_ path: String) throws(OutputFile.Refused) {
    file = try OutputFile(path) { $0.starts(with: Array(CheckpointFile.mark.utf8)) }
  }

  /// Appends bytes; returns false if this or an earlier write has failed.
  @discardableResult
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard refused == nil else { return false }
    sum = checksum_crc32c(sum, bytes.baseAddress, bytes.count)
    count += bytes.count
    do {
      try file.write(bytes)
      return true
    } catch {
      refused = error
      return false
    }
  }

  func close() throws(OutputFile.Refused) {
    let (length, sum) = (UInt64(count).littleEndian, sum.littleEndian)
    withUnsafeBytes(of: length) { _ = write($0) }
    withUnsafeBytes(of: sum) { _ = write($0) }
    if let refused { throw refused }
    try file.close(lasts: true)
  }
}

/// A reader of a checkpoint, which verifies the whole file before it returns any part of it.
final class CheckpointReader {
  let path: String
  private let file: RegularFile
  /// The number of bytes before the trailer that are not read yet.
  private var left: Int

  init(_ path: String) throws(ExplorationError) {
    self.path = path
    try CheckpointReader.check(try CheckpointReader.open(path), path)
    file = try CheckpointReader.open(path)
    left = max(0, file.size - CheckpointFile.ending)
  }

  private static func open(_ path: String) throws(ExplorationError) -> RegularFile {
    do {
      return try RegularFile(path)
    } catch {
      throw ExplorationError(.setup, "\(path) cannot be read: \(error.reason)")
    }
  }

  /// Throws unless the file is complete and its checksum is correct.
  private static func check(
    _ file: RegularFile, _ path: String
  ) throws(ExplorationError) {
    var sum: UInt32 = 0
    var block = [UInt8](repeating: 0, count: 1 << 18)
    var left = file.size - CheckpointFile.ending
    let mark = Array(CheckpointFile.mark.utf8)
    var isMarked: Bool?
    while left > 0 {
      let count = block.withUnsafeMutableBytes {
        file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<min($0.count, left)]))
      }
      guard count > 0 else { throw damaged(path) }
      if isMarked == nil { isMarked = block[..<count].starts(with: mark) }
      sum = checksum_crc32c(sum, block, count)
      left -= count
    }
    guard isMarked == true else {
      throw ExplorationError(
        .setup, "\(path) is not a checkpoint of moonlatch explore, or is not complete"
      )
    }
    var ending = [UInt8](repeating: 0, count: CheckpointFile.ending)
    guard ending.withUnsafeMutableBytes({ file.read(into: $0) }) == CheckpointFile.ending else {
      throw damaged(path)
    }
    let (length, wanted) = ending.withUnsafeBytes {
      (
        UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
        UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      )
    }
    guard length == UInt64(file.size - CheckpointFile.ending), wanted == sum else {
      throw damaged(path)
    }
  }

  static func damaged(_ path: String) -> ExplorationError {
    ExplorationError(
      .setup,
      "\(path) is damaged or cut off, and cannot be resumed; explore again, without --resume"
    )
  }

  /// Fills a buffer; returns false if there are not enough bytes left.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard buffer.count <= left else { return false }
    var filled = 0
    while filled < buffer.count {
      let count = file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      guard count > 0 else { return false }
      filled += count
    }
    left -= filled
    return true
  }

  /// Returns the next bytes; nil if there are not as many left.
  func read(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= left else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return bytes.withUnsafeMutableBytes { read(into: $0) } ? bytes : nil
  }

  var isAtEnd: Bool { left == 0 }
}
