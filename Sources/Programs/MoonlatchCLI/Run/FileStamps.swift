import Platform

/// The time, size and inode of files and folders, to detect changes.
///
/// Editors that write beside a file and rename the result change its inode, and its folder.
struct FileStamps {
  private struct Stamp: Equatable {
    let seconds: Int
    let nanoseconds: Int
    let size: Int
    let inode: UInt64
  }

  /// The stamp of each path; nil for a missing file.
  private let stamps: [String: Stamp?]

  /// Reads the stamps of paths; those that `before` has are copied from it.
  init(_ paths: some Sequence<String>, before: FileStamps? = nil) {
    stamps = Dictionary(
      paths.map { ($0, before?.stamps[$0] ?? FileStamps.stamp($0)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The number of existing files.
  var count: Int { stamps.values.count { $0 != nil } }

  private static func stamp(_ path: String) -> Stamp? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Stamp(
      seconds: time.tv_sec, nanoseconds: time.tv_nsec, size: Int(status.st_size),
      inode: UInt64(status.st_ino))
  }

  /// Waits until a file was changed, deleted or added, also among those that are `listed` by then.
  ///
  /// Returns the changed paths, or nil after an interrupt.
  func waitForChange(listed: () -> [String] = { [] }) -> Set<String>? {
    while Interrupts.signal == 0 {
      usleep(200_000)
      var changed = Set(stamps.filter { FileStamps.stamp($0.key) != $0.value }.keys)
      for path in listed() where stamps[path] == nil && FileStamps.stamp(path) != nil {
        changed.insert(path)
      }
      // An editor may write in several steps: only the final content counts.
      if !changed.isEmpty {
        usleep(50_000)
        return changed
      }
    }
    return nil
  }
}
