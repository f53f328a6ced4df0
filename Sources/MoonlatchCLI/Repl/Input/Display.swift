import CLineEdit

/// The terminal on standard output.
enum Display {
  /// Its width now; windows change.
  static var width: Int { Int(line_terminal_width()) }
}
