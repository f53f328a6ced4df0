import CLineEdit
import Platform
import StateBlocks

/// A pager for results that are longer than the terminal: `$PAGER`, or else `less -FRX`.
struct Pager {
  /// The line of shell that runs the pager.
  private let line: String

  /// The pager without `$PAGER`; `cat` if there is no `less`.
  private static let standard =
    "if command -v less >/dev/null 2>&1; then exec less -FRX; else exec cat; fi"

  /// Returns nil if `PAGER` is empty, or the terminal can only print.
  init?(_ environment: [String: String]) {
    line = environment["PAGER"] ?? Pager.standard
    if line.allSatisfy(\.isWhitespace) || Style.isDumb(environment) { return nil }
  }

  /// Shows a text if it is longer than the terminal; returns false if it was not shown.
  ///
  /// The text goes through a file that has no name any more, so that a pager which ends early leaves nothing behind.
  func show(_ text: String) -> Bool {
    guard Terminal.isInteractive, Pager.isLong(text) else { return false }
    let folder = FileManager.default.temporaryDirectory
    var path = Array(folder.appending(path: "moonlatch-XXXXXX").path.utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { return false }
    defer { close(file) }
    unlink(path)
    guard Terminal.writeAll(Array(Terminal.shown(text).utf8), to: file),
      lseek(file, 0, SEEK_SET) == 0
    else { return false }
    // The shell says 126 or 127 if it cannot run the pager.
    guard let status = Shell.run(line, input: file) else { return false }
    return status != 126 && status != 127
  }

  /// Returns true if a text and the next prompt take more rows than the terminal has.
  static func isLong(
    _ text: String, width: Int = LineEditor.width, height: Int = LineEditor.height
  ) -> Bool {
    var rows = 1
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      rows += max(1, (String(line).shownLength + width - 1) / max(1, width))
      if rows > height { return true }
    }
    return false
  }
}
