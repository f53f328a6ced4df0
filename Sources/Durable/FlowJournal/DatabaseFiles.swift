import FlowKernel
import JournalRows
import Platform

/// The identity of a file under any name, such as hard links and bind mounts of it.
struct Inode: Hashable, Sendable {
  let device: UInt64
  let number: UInt64

  private init(_ found: stat) {
    (device, number) = (UInt64(found.st_dev), UInt64(found.st_ino))
  }

  /// Finds the file at a path; nil if there is none.
  init?(of path: String) {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    self.init(found)
  }

  /// Finds the file of a descriptor; nil if it is not open.
  init?(of descriptor: Int32) {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { return nil }
    self.init(found)
  }
}

/// The database files that are open in this process.
///
/// Invariant: no descriptor of such a file is closed while SQLite has the file open here, because closing any
/// of them drops the locks that SQLite has on it. (POSIX; fcntl(2), "Advisory record locking".) SQLite takes
/// care of its own descriptors.
enum DatabaseFiles {
  private struct File {
    var connections = 0
    var isLocked = false
    /// Descriptors that are no longer needed, until they can be closed.
    var idle: [Int32] = []
  }

  private static let files = Monitor<[Inode: File]>([:])

  // MARK: Connections

  /// Records that SQLite has opened a file.
  static func opened(_ path: String) -> Inode? {
    guard let inode = Inode(of: path) else { return nil }
    files.with { $0[inode, default: File()].connections += 1 }
    return inode
  }

  /// Records that SQLite has closed a file.
  static func closed(_ inode: Inode) {
    files.with { files in
      files[inode]?.connections -= 1
      closeIdle(inode, in: &files)
    }
  }

  private static func closeIdle(_ inode: Inode, in files: inout [Inode: File]) {
    guard let file = files[inode], file.connections <= 0, !file.isLocked else { return }
    for descriptor in file.idle { _ = Platform.close(descriptor) }
    files[inode] = nil
  }

  // MARK: Locks

  /// Locks a file for this process, and creates it if there is none.
  ///
  /// - Throws: `JournalError`, without waiting, if the file is locked already, under any name.
  static func lock(_ path: String) throws(JournalError) -> FileLock {
    let result: Result<FileLock, JournalError> = files.with { files in
      if let inode = Inode(of: path), files[inode]?.isLocked == true {
        return .failure(FileLock.isHeld(path, by: Int(getpid())))
      }
      let opened: Int32?
      do throws(JournalError) {
        opened = try JournalFile.open(path, O_RDWR | O_CREAT)
      } catch {
        return .failure(error)
      }
      guard let descriptor = opened, let inode = Inode(of: descriptor) else {
        return .failure(JournalError(.failed, "\(path) cannot be opened."))
      }
      defer { closeIdle(inode, in: &files) }
      let isOurs = files[inode]?.isLocked == true  // it has come to stand there just now
      let refusal =
        isOurs ? FileLock.isHeld(path, by: Int(getpid())) : FileLock.acquire(descriptor, path)
      if let refusal {
        files[inode, default: File()].idle.append(descriptor)
        return .failure(refusal)
      }
      files[inode, default: File()].isLocked = true
      return .success(FileLock(descriptor, inode))
    }
    return try result.get()
  }

  fileprivate static func unlocked(_ inode: Inode, _ descriptor: Int32) {
    files.with { files in
      files[inode]?.isLocked = false
      files[inode]?.idle.append(descriptor)
      closeIdle(inode, in: &files)
    }
  }
}

/// The lock of a journal's file, which is held for as long as this object exists, and no longer than the process does.
///
/// It is on the file itself, so that another name of the file does not bypass it.
///
/// It is an open file description lock on a byte that SQLite does not lock. (fcntl(2), "Open file description
/// locks".) The next byte has a traditional lock, which guards nothing, but tells others the id of this
/// process. SQLite drops it when it releases its own locks, so it is set once SQLite holds one for good.
final class FileLock: Sendable {
  /// The locked file.
  let inode: Inode
  private let descriptor: Int32

  /// SQLite locks 512 bytes from 2^30 on. (sqlite3.c, PENDING_BYTE)
  private static let place = 1 << 30 + 1 << 20

  #if canImport(Darwin)
    private static let setLock: Int32 = 90  // F_OFD_SETLK
  #else
    private static let setLock: Int32 = 37  // F_OFD_SETLK
  #endif

  fileprivate init(_ descriptor: Int32, _ inode: Inode) {
    (self.descriptor, self.inode) = (descriptor, inode)
  }

  deinit {
    // A child process that is being started shares the descriptor until it runs another program.
    _ = Self.set(Self.setLock, F_UNLCK, at: Self.place, of: descriptor)
    _ = Self.set(F_SETLK, F_UNLCK, at: Self.place + 1, of: descriptor)
    DatabaseFiles.unlocked(inode, descriptor)
  }

  /// Makes this process's id visible to others; called once SQLite has opened the file.
  func sign() { _ = Self.set(F_SETLK, F_WRLCK, at: Self.place + 1, of: descriptor) }

  /// Locks the file; returns the error if that fails, or nil.
  fileprivate static func acquire(_ descriptor: Int32, _ path: String) -> JournalError? {
    if set(setLock, F_WRLCK, at: place, of: descriptor) { return nil }
    let reason = errno
    if reason == EAGAIN || reason == EACCES { return isHeld(path, by: holder(descriptor)) }
    return JournalError(
      .failed, "\(path) cannot be locked: \(String(cString: strerror(reason))).")
  }

  private static func range(_ kind: Int32, at place: Int) -> flock {
    var range = flock()
    range.l_type = Int16(kind)
    range.l_whence = Int16(SEEK_SET)
    range.l_start = off_t(place)
    range.l_len = 1
    return range
  }

  private static func set(
    _ command: Int32, _ kind: some BinaryInteger, at place: Int, of descriptor: Int32
  ) -> Bool {
    var range = range(Int32(kind), at: place)
    return fcntl(descriptor, command, &range) == 0
  }

  private static func holder(_ descriptor: Int32) -> Int? {
    var range = range(Int32(F_WRLCK), at: place + 1)
    guard fcntl(descriptor, F_GETLK, &range) == 0, range.l_type != Int16(F_UNLCK), range.l_pid > 0
    else { return nil }
    return Int(range.l_pid)
  }

  fileprivate static func isHeld(_ path: String, by holder: Int?) -> JournalError {
    let who =
      switch holder {
      case .some(Int(getpid())): "by this process"
      case let holder?: "by process \(holder)"
      case nil: "by another process"
      }
    return JournalError(
      .locked(by: holder),
      "\(path) is open for writing \(who): only one process can write a journal. End it first, or only read."
    )
  }
}
