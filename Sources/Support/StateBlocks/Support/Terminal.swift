#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The one outlet to the process's streams, past any buffering: nothing else prints.
///
/// All that is for people passes through it, and nothing in it is a command but what `Emphasis` marks:
/// a text may hold names, reasons and contents of files that somebody else wrote.
package enum Terminal {
  /// Prints a text on standard output.
  package static func writeOutput(_ text: String) { write(shown(text), to: STDOUT_FILENO) }
  /// Prints a text on standard error, in one write, so that threads do not mix theirs.
  package static func writeError(_ text: String) { write(shown(text), to: STDERR_FILENO) }

  /// Writes a document of which the format itself lets no command through: a report, JSON.
  ///
  /// - Returns: false when not all of it could be written.
  @discardableResult
  package static func writeDocument(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
    write(text, to: descriptor)
  }

  /// Shows a text in place of the last line of standard error, which is a terminal.
  package static func replaceLine(by text: String) {
    write("\r\u{1b}[K" + shown(text), to: STDERR_FILENO)
  }

  /// A text as it is printed.
  package static func shown(_ text: String) -> String { shown(text, around: "") }

  /// A text as the line editor takes it for a prompt: commands stand between pairs of `\u{1}`.
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

  /// Whether a person sits at both ends: input and output are terminals.
  package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Writes bytes as they are to whatever is open there.
  ///
  /// - Returns: false when not all of them could be written; `errno` says why.
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
