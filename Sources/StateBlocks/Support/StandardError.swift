#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where failures are printed that nobody asked for.
enum StandardError {
  /// Prints one line, in one write, so that threads do not mix theirs.
  static func print(_ text: String) {
    let line = text + "\n"
    line.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
  }
}
