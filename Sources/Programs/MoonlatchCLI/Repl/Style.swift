import FlowKernel
import Platform

/// The colours of output, if the terminal supports them.
struct Style: Sendable {
  let isColored: Bool

  static let plain = Style(isColored: false)

  /// Returns colours for a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
  static func suiting(_ descriptor: Int32, environment: [String: String]) -> Style {
    let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty
    return Style(isColored: isatty(descriptor) == 1 && !isRefused && !isDumb(environment))
  }

  /// Returns true if the terminal can only print.
  static func isDumb(_ environment: [String: String]) -> Bool {
    ["", "dumb"].contains(environment["TERM"] ?? "")
  }

  func heading(_ text: String) -> String { set(.bold, text) }
  func added(_ text: String) -> String { set(.green, text) }
  func removed(_ text: String) -> String { set(.red, text) }
  func quiet(_ text: String) -> String { set(.faint, text) }
  func warning(_ text: String) -> String { set(.yellow, text) }

  private func set(_ emphasis: Emphasis, _ text: String) -> String {
    isColored ? emphasis(text) : text
  }
}
