import FlowLanguage
import Platform

/// A watch for changed contents of files, however an editor saves them.
final class FileWatch {
  private var files: [String]
  private var texts: [[UInt8]?]

  /// A descriptor that is readable after events in the files' folders; nil if the system has no such events.
  let descriptor: Int32?

  init(_ files: [String]) {
    self.files = files
    texts = files.map(FileWatch.text(of:))
    #if os(Linux)
      let queue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      descriptor = queue < 0 ? nil : queue
    #else
      descriptor = nil
    #endif
    watchFolders()
  }

  deinit { if let descriptor { close(descriptor) } }

  private static func text(of path: String) -> [UInt8]? { try? TextFile.bytes(of: path) }

  private func watchFolders() {
    #if os(Linux)
      guard let descriptor else { return }
      for folder in Set(files.map { URL(filePath: $0).deletingLastPathComponent().path }) {
        inotify_add_watch(
          descriptor, folder, UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE))
      }
    #endif
  }

  /// Replaces the files to watch.
  func follow(_ files: [String]) {
    guard files != self.files else { return }
    self.files = files
    texts = files.map(FileWatch.text(of:))
    watchFolders()
  }

  /// Returns true if a content has changed since the last call.
  ///
  /// While a file is missing, it is assumed that it is about to be written again.
  func hasChanged() -> Bool {
    if let descriptor {
      var events = [UInt8](repeating: 0, count: 4096)
      while read(descriptor, &events, events.count) > 0 {}
    }
    let now = files.map(FileWatch.text(of:))
    guard !now.contains(nil), now != texts else { return false }
    texts = now
    return true
  }
}
