#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writing whole texts to the process's streams, past any buffering.
package enum Terminal {
  package static func writeOutput(_ text: String) { write(text, to: STDOUT_FILENO) }
  package static func writeError(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Writes to any open file; false when not all of it could be written.
  @discardableResult
  package static func write(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { write($0, to: descriptor) }
  }

  /// Whether a person sits at both ends: input and output are terminals.
  package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  private static func write(_ utf8: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Bool {
    var rest = UnsafeRawBufferPointer(utf8)
    while let start = rest.baseAddress, !rest.isEmpty {
      #if canImport(Darwin)
        let written = Darwin.write(descriptor, start, rest.count)
      #elseif canImport(Glibc)
        let written = Glibc.write(descriptor, start, rest.count)
      #else
        let written = Musl.write(descriptor, start, rest.count)
      #endif
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { return false }  // a reader that has gone: nobody is left to tell
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
    }
    return true
  }
}
