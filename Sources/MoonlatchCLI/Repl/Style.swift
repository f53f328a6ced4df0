#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How texts are set off from each other, where the terminal wants colours.
struct Style: Sendable {
  let isColored: Bool

  static let plain = Style(isColored: false)

  /// Colours on a terminal, unless `NO_COLOR` says otherwise or `TERM` is `dumb`.
  static func suiting(_ descriptor: Int32, environment: [String: String]) -> Style {
    let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty
    return Style(isColored: isatty(descriptor) == 1 && !isRefused && !isDumb(environment))
  }

  /// Whether the terminal can do no more than print.
  static func isDumb(_ environment: [String: String]) -> Bool {
    ["", "dumb"].contains(environment["TERM"] ?? "")
  }

  func heading(_ text: String) -> String { set("1", text) }
  func added(_ text: String) -> String { set("32", text) }
  func removed(_ text: String) -> String { set("31", text) }
  func quiet(_ text: String) -> String { set("2", text) }
  func warning(_ text: String) -> String { set("33", text) }

  private func set(_ code: String, _ text: String) -> String {
    isColored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
