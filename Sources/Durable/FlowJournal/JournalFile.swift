import FlowKernel
import FlowLanguage
import Platform

/// Opens the files of a journal: a regular file each, and through no link.
///
/// A link or a pipe in the place of one is somebody else's: nothing is written through it, and nobody waits for it.
enum JournalFile {
  /// Opens a file.
  ///
  /// - Returns: its descriptor; nil if there is no such file, and the flags make none.
  /// - Throws: `JournalError`: `unsafe` for anything but a regular file.
  static func open(_ path: String, _ flags: Int32) throws(JournalError) -> Int32? {
    let descriptor = Platform.open(
      path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let code = errno
      if code == ENOENT, flags & O_CREAT == 0 { return nil }
      try expectRegular(path)
      throw JournalError(.failed, "\(path) cannot be opened: \(String(cString: strerror(code))).")
    }
    var status = stat()
    if fstat(descriptor, &status) == 0, let kind = RegularFile.kind(of: status) {
      _ = Platform.close(descriptor)
      throw refusal(path, kind)
    }
    return descriptor
  }

  /// Refuses what stands at a path and is no regular file.
  static func expectRegular(_ path: String) throws(JournalError) {
    var status = stat()
    guard lstat(path, &status) == 0, let kind = RegularFile.kind(of: status) else { return }
    throw refusal(path, kind)
  }

  private static func refusal(_ path: String, _ kind: String) -> JournalError {
    JournalError(
      .unsafe,
      "\(path) is \(kind): a journal and what lies beside it are regular files. Move it away.")
  }
}
