#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Functions that make files survive a power cut.
package enum Disk {
  /// Writes the cached contents of a file, which need not be open, or the entries of a folder, to the disk.
  ///
  /// - Parameter excuse: an error of `open` that does not count as a failure: a folder may be writable without being
  ///   readable.
  /// - Returns: the system's error; nil on success, and if the file system has nothing to write.
  package static func sync(_ path: String, butFor excuse: Int32? = nil) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return errno == excuse ? nil : errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL ? nil : errno
  }
}
