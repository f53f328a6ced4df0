import Platform
import StateBlocks

/// A file that a command writes, either a new one or one that a command has written before.
///
/// It refuses to write through a link, over a file that the same command reads, or over a file that does not begin
/// like ours. The complete content replaces the old file at the end. A file that grows, which shows how far a run
/// came, is emptied first and written in place.
package final class OutputFile {
  /// The error for a file that is not written.
  package struct Refused: SystemRefusal {
    package let path: String
    /// The reason, such as `is a link, ...`.
    package let problem: String
    /// True if the path has a file that the command did not write.
    package var isForeign = false
    /// The error code, if the system refused; otherwise 0.
    package var code: Int32 = 0
    package var description: String { "\(path) \(problem)" }
  }

  /// Returns true if a file with this beginning may be overwritten.
  package typealias Recognition = (_ beginning: [UInt8]) -> Bool

  /// The number of bytes at the beginning of a file by which it is recognized.
  package static let beginning = 1 << 12
  private static let block = 1 << 16

  package let path: String
  private let name: String
  private let isOurs: Recognition
  private let spared: Set<FileIdentity>
  private let grows: Bool
  private var descriptor: Int32 = -1
  private var temporary: UnfinishedFile?
  private var held: [UInt8] = []

  /// Opens the file, so that an error is known before any work is done.
  ///
  /// - Parameters:
  ///   - name: the name of the file in messages.
  ///   - inputs: the files that the same command reads.
  ///   - grows: true if output must be visible at once.
  ///   - isOurs: returns true if an existing file may be overwritten; an empty one always may.
  package init(
    _ path: String, named name: String? = nil, sparing inputs: [String] = [], grows: Bool = false,
    over isOurs: @escaping Recognition = { _ in false }
  ) throws(Refused) {
    self.path = path
    self.name = name ?? path
    self.isOurs = isOurs
    self.grows = grows
    spared = Set(inputs.compactMap { FileIdentity($0) })
    let present = try checkTarget()
    if grows {
      try openInPlace(present)
    } else {
      try openTemporary(mode: present.map { $0.st_mode & 0o777 })
    }
  }

  deinit {
    if descriptor >= 0 { _ = Platform.close(descriptor) }
  }

  /// Writes a whole file.
  package static func write(
    _ text: String, to path: String, named name: String? = nil, sparing inputs: [String] = [],
    over isOurs: @escaping Recognition = { _ in false }
  ) throws(Refused) {
    let file = try OutputFile(path, named: name, sparing: inputs, over: isOurs)
    try file.write(text)
    try file.close()
  }

  package func write(_ text: String) throws(Refused) {
    held += text.utf8
    if grows || held.count >= OutputFile.block { try flush() }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(Refused) {
    held += bytes
    if grows || held.count >= OutputFile.block { try flush() }
  }

  /// Lets another program write the file: the body receives the path of a file to fill.
  package func fill<Failure: Error>(
    by body: (_ temporary: String) throws(Failure) -> Void
  ) throws(Failure) {
    if let temporary { try body(temporary.path) }
  }

  /// Writes the buffered output, and moves the file to its path.
  ///
  /// - Parameter lasts: true if the path must have a complete file, the new one or the old one, even after a power
  ///   failure.
  package func close(lasts: Bool = false) throws(Refused) {
    try flush()
    if lasts, fsync(descriptor) != 0, errno != EINVAL { throw refused(errno) }
    let code = Platform.close(descriptor)
    descriptor = -1
    guard code == 0 else { throw refused(errno) }
    guard let temporary else { return }
    _ = try checkTarget()  // somebody else may have written there meanwhile
    guard rename(temporary.path, path) == 0 else { throw refused(errno) }
    self.temporary = nil
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    if lasts, let code = Disk.sync(folder, butFor: EACCES) { throw refused(code) }
  }

  private func flush() throws(Refused) {
    defer { held = [] }
    guard Terminal.writeAll(held, to: descriptor) else { throw refused(errno) }
  }

  // MARK: Opening

  /// Returns the status of the file at the path; nil if there is none.
  private func checkTarget() throws(Refused) -> stat? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw refused(errno) }
      return nil
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK:
      throw refused("is a link, and files are not written through links: name the file itself")
    case S_IFDIR: throw refused("is a folder, not a file")
    default: throw refused("is not a regular file, and only regular files are written")
    }
    if spared.contains(FileIdentity(status)) {
      throw refused("is read or written by this command too: name another file")
    }
    if status.st_size > 0, !isOurs(beginningOfPresent) {
      var refused = refused(
        "exists already, and was not written by this command: name another file, or remove it")
      refused.isForeign = true
      throw refused
    }
    return status
  }

  private var beginningOfPresent: [UInt8] {
    guard let file = try? RegularFile(path) else { return [] }
    return [UInt8](unsafeUninitializedCapacity: OutputFile.beginning) { buffer, used in
      used = max(0, file.read(into: UnsafeMutableRawBufferPointer(buffer)))
    }
  }

  private func openInPlace(_ present: stat?) throws(Refused) {
    let flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    descriptor = open(path, flags | (present == nil ? O_CREAT | O_EXCL : 0), 0o644)
    guard descriptor >= 0 else { throw refused(errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw refused(errno) }
    // Another file has taken the place of the one that was checked.
    if let present, FileIdentity(present) != FileIdentity(status) { throw refused(EBUSY) }
    guard ftruncate(descriptor, 0) == 0 else { throw refused(errno) }
  }

  private func openTemporary(mode: mode_t?) throws(Refused) {
    let temporary = UnfinishedFile(beside: path)
    descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw refused(errno) }
    self.temporary = temporary
    if let mode { fchmod(descriptor, mode) }
  }

  private func refused(_ problem: String) -> Refused { Refused(path: name, problem: problem) }

  private func refused(_ code: Int32) -> Refused {
    var refused = refused("cannot be written: \(String(cString: strerror(code)))")
    refused.code = code
    return refused
  }
}
