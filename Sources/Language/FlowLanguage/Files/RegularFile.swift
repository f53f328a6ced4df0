import Platform

/// What is opened for reading, whoever reads it: a regular file and nothing else.
///
/// A named pipe would be waited for, a device may have no end.
package final class RegularFile {
  /// Why nothing can be read.
  package struct Refused: Error {
    /// The words for it, without the file's name.
    package let reason: String
    /// What the system says, where it is the system that refuses.
    package var code: Int32 = 0
  }

  /// How many bytes it has; some that the system makes up say 0.
  package let size: Int
  private let descriptor: Int32

  /// Opens the file at a path, links followed.
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

  /// Reads the next bytes: how many there were, none at the end, less than none for an error.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    RegularFile.read(from: descriptor, into: buffer)
  }

  /// The same from what is open already: standard input.
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

  /// The message for a path at which nothing is.
  ///
  /// A name that is not UTF-8 arrives with U+FFFD in it, and so is never found.
  package static func missing(_ path: String, what: String = "file", suggestion: String = "")
    -> String
  {
    path.unicodeScalars.contains("\u{FFFD}")
      ? "there is no such \(what): the name is not UTF-8; rename it"
      : "there is no such \(what)" + suggestion
  }

  /// Why something is no file to read, nil for a regular file.
  package static func problem(with status: stat) -> String? {
    kind(of: status).map {
      status.st_mode & S_IFMT == S_IFDIR
        ? "this is a folder, not a file" : "this is \($0), and only regular files are read"
    }
  }

  /// The kind of what is no regular file, such as `a named pipe`; nil for a regular file.
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

/// Which file something is, however it is named.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Nil where nothing is, links followed.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
