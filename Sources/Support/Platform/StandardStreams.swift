#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The three descriptors that each program is started with.
package enum StandardStreams {
  /// Opens those of standard input, output and error that whoever started the program has closed.
  ///
  /// The next file that is opened would get the number, and what is meant for the terminal would be written into it.
  package static func openClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest number that is free is this one.
      _ = open("/dev/null", O_RDWR)
    }
  }
}

/// An error of the system's: a full disk, too many open files, a missing permission.
package protocol SystemRefusal: Error, CustomStringConvertible {}
