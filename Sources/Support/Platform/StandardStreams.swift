#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The three file descriptors with which each program is started.
package enum StandardStreams {
  /// Opens standard input, output and error on `/dev/null` where the parent process has closed them.
  ///
  /// Otherwise the next file to be opened would get such a number, and output for the terminal would go into that file.
  package static func openClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one.
      _ = open("/dev/null", O_RDWR)
    }
  }
}

/// An error of the operating system: a full disk, too many open files, a missing permission.
package protocol SystemRefusal: Error, CustomStringConvertible {}
