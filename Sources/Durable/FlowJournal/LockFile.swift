import JournalRows
import Moonlatch
import Platform

/// The lock of a journal: a file beside it that one store alone holds, as long as its process lives.
///
/// It is not the database itself: whoever closes that in this process loses the locks that SQLite has on it.
/// (POSIX; fcntl(2), "Advisory record locking".) The file stays where it is, with the last holder's number in it.
final class LockFile: Sendable {
  private let descriptor: Int32

  /// Takes the lock.
  ///
  /// - Throws: `JournalError`, at once, where somebody has it.
  init(of path: String) throws(JournalError) {
    let file = path + "-lock"
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw JournalError(.failed, "\(file) cannot be opened: \(String(cString: strerror(errno))).")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      let holder = Self.holder(descriptor)
      _ = Platform.close(descriptor)
      guard reason == EWOULDBLOCK else {
        throw JournalError(
          .failed, "\(file) cannot be locked: \(String(cString: strerror(reason))).")
      }
      throw Self.isHeld(path, by: holder)
    }
    self.descriptor = descriptor
    let number = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, number, number.count, 0)
  }

  deinit {
    // A process that is being started has the file open too, until it becomes another program.
    _ = flock(descriptor, LOCK_UN)
    _ = Platform.close(descriptor)
  }

  private static func holder(_ descriptor: Int32) -> Int? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let digits = bytes.prefix(max(0, count)).prefix { (48...57).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  private static func isHeld(_ path: String, by holder: Int?) -> JournalError {
    let who =
      switch holder {
      case .some(Int(getpid())): "by this process"
      case let holder?: "by process \(holder)"
      case nil: "by another process"
      }
    return JournalError(
      .locked(by: holder),
      "\(path) is open for writing \(who): one alone writes a journal. End it first, or only read.")
  }
}
