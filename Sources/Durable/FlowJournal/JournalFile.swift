import FlowKernel
import FlowLanguage
import Platform

/// Opens the files of a journal, each of which must be a regular file and not a link.
///
/// A link or a pipe in its place does not belong to the journal: nothing is written through it, and no call
/// blocks on it.
enum JournalFile {
  /// Opens a file.
  ///
  /// - Returns: the descriptor; nil if there is no such file and `flags` do not create it.
  /// - Throws: `JournalError`: `unsafe` if it is not a regular file.
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

  /// Throws if the file at a path is not a regular one.
  static func expectRegular(_ path: String) throws(JournalError) {
    var status = stat()
    guard lstat(path, &status) == 0, let kind = RegularFile.kind(of: status) else { return }
    throw refusal(path, kind)
  }

  private static func refusal(_ path: String, _ kind: String) -> JournalError {
    JournalError(
      .unsafe,
      "\(path) is \(kind), but a journal and the files beside it must be regular files. Move it away."
    )
  }
}
