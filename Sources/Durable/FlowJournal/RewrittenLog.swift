import FlowKernel
import JournalRows
import Platform

/// Rewrites the log that a database was left with after a failure.
///
/// The system forgets data that it could not write to the disk: the next sync succeeds without it, and the
/// entries behind it would be lost with it at a loss of power. (PostgreSQL's "fsyncgate", 2018.) So every
/// byte that is still there is written again and synced before anything else is written.
enum RewrittenLog {
  private static let piece = 1 << 20

  static func write(_ path: String) throws(JournalError) {
    let log = path + "-wal"
    guard let descriptor = try JournalFile.open(log, O_RDWR) else { return }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: piece)
    var offset = 0
    while true {
      let count = pread(descriptor, &bytes, bytes.count, off_t(offset))
      if count == 0 { break }
      guard count > 0, pwrite(descriptor, bytes, count, off_t(offset)) == count else {
        throw failed(log)
      }
      offset += count
    }
    guard fsync(descriptor) == 0 else { throw failed(log) }
  }

  private static func failed(_ log: String) -> JournalError {
    JournalError(
      errno == ENOSPC ? .full : .failed,
      "\(log) cannot be written again after a failure: \(String(cString: strerror(errno))).")
  }
}
