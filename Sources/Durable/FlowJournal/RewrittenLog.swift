import FlowKernel
import JournalRows
import Platform

/// The log of a database that was left after a failure, written once more.
///
/// What the system could not write to the disk it forgets to write: the next sync reports success without it, and
/// entries behind it would be lost with it at a power cut. (PostgreSQL's "fsyncgate", 2018.) So each byte that is
/// still there is made new, and synced, before anything else is written.
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
