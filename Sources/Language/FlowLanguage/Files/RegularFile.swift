import Platform

/// A regular file that is open for reading.
///
/// All other kinds are refused: a named pipe could block, and a device may have no end.
package final class RegularFile {
  /// The error for a file that cannot be read.
  package struct Refused: Error {
    /// The reason, without the file's name.
    package let reason: String
    /// The error code, if the system refused; otherwise 0.
    package var code: Int32 = 0
  }

  /// The size in bytes, which is 0 for some files that the system generates.
  package let size: Int
  private let descriptor: Int32

  /// Opens the file at a path, following links.
  package init(_ path: String) throws(Refused) {
    // Without O_NONBLOCK opening a pipe waits for a writer.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw RegularFile.refusal(of: path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw RegularFile.refusal(of: path, code)
    }
    size = Int(status.st_size)
    if let problem = RegularFile.problem(with: status) { throw Refused(reason: problem) }
  }

  deinit { close(descriptor) }

  /// Reads the next bytes, and returns their number; 0 at the end, and a negative number for an error.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    RegularFile.read(from: descriptor, into: buffer)
  }

  /// Reads the next bytes from an open descriptor, such as standard input.
  package static func read(
    from descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    while true {
      let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  private static func refusal(of path: String, _ code: Int32) -> Refused {
    var status = stat()
    // A socket cannot even be opened.
    if stat(path, &status) == 0, let problem = problem(with: status) {
      return Refused(reason: problem)
    }
    switch code {
    case ENOENT, ENOTDIR: return Refused(reason: missing(path), code: code)
    case EACCES, EPERM:
      return Refused(reason: "the file cannot be read (permission denied)", code: code)
    default:
      let why = String(cString: strerror(code))
      return Refused(reason: "the file cannot be read (\(why))", code: code)
    }
  }

  /// Returns the message for a path that has no file.
  ///
  /// A name that is not UTF-8 arrives with U+FFFD in it, and so is never found.
  package static func missing(_ path: String, what: String = "file", suggestion: String = "")
    -> String
  {
    path.unicodeScalars.contains("\u{FFFD}")
      ? "there is no such \(what): the name is not UTF-8; rename it"
      : "there is no such \(what)" + suggestion
  }

  /// Returns the reason why something cannot be read as a file; nil for a regular file.
  package static func problem(with status: stat) -> String? {
    kind(of: status).map {
      status.st_mode & S_IFMT == S_IFDIR
        ? "this is a folder, not a file" : "this is \($0), and only regular files are read"
    }
  }

  /// Returns the kind of a file that is not regular, such as `a named pipe`; nil for a regular file.
  package static func kind(of status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a folder"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    case S_IFLNK: "a link"
    default: "a device"
    }
  }
}

/// The identity of a file, whatever its path.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Returns nil if the path, with links followed, has no file.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
