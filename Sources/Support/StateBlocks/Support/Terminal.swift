#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The only access to the process's standard streams, without buffering; nothing else prints.
///
/// All text for people passes through it. Only the marks of `Emphasis` become terminal commands, because a text may
/// contain names, reasons and file contents from outside.
package enum Terminal {
  /// Prints a text on standard output.
  package static func writeOutput(_ text: String) { write(shown(text), to: STDOUT_FILENO) }
  /// Prints a text on standard error in one write, so that the output of several threads does not mix.
  package static func writeError(_ text: String) { write(shown(text), to: STDERR_FILENO) }

  /// Writes a document as it is, in a format that cannot contain terminal commands: a report, JSON.
  ///
  /// - Returns: false if not all of it could be written.
  @discardableResult
  package static func writeDocument(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
    write(text, to: descriptor)
  }

  /// Replaces the last line of standard error, which must be a terminal, by a text.
  package static func replaceLine(by text: String) {
    write("\r\u{1b}[K" + shown(text), to: STDERR_FILENO)
  }

  /// Returns a text in the form in which it is printed.
  package static func shown(_ text: String) -> String { shown(text, around: "") }

  /// Returns a text as a prompt for the line editor, with commands between pairs of `\u{1}`.
  package static func prompt(_ text: String) -> String { shown(text, around: "\u{1}") }

  private static func shown(_ text: String, around: String) -> String {
    let visible = text.visible(keepsEmphasis: true)
    guard visible.utf8.contains(0xef) else { return visible }
    var shown = ""
    for scalar in visible.unicodeScalars {
      if let command = Emphasis.command(for: scalar) {
        shown += around + command + around
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// True if standard input and output are both terminals.
  package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Writes bytes as they are to an open file descriptor.
  ///
  /// - Returns: false if not all of them could be written; `errno` has the reason.
  package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { write($0, to: descriptor) }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let written = systemWrite(descriptor, start, rest.count)
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { return false }  // a reader that has gone: nobody is left to tell
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
    }
    return true
  }
}

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, start, count)
}
