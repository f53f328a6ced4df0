#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is to outlast a power cut.
package enum Disk {
  /// Has the disk keep a file that nobody has open, or the names of a folder.
  ///
  /// - Parameter excuse: an error that may keep it from being opened: a folder may be one that can be written to
  ///   without being read.
  /// - Returns: the system's error; nil where all is well, and where there is nothing that could be kept.
  package static func sync(_ path: String, butFor excuse: Int32? = nil) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return errno == excuse ? nil : errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL ? nil : errno
  }
}
