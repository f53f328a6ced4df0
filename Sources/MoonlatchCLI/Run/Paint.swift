#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Colours on a terminal, and nothing of the kind anywhere else.
struct Paint {
  let isOn: Bool

  /// Decides for one stream: `NO_COLOR` and a terminal that has none are respected.
  init(descriptor: Int32) {
    isOn =
      isatty(descriptor) == 1 && Environment.value("NO_COLOR", or: "").isEmpty
      && Environment.value("TERM", or: "dumb") != "dumb"
  }

  private static let words: [(String, String)] = [
    ("ok  ", "32"), ("skip ", "33"), ("FAIL ", "1;31"), ("ERROR ", "1;31"),
  ]
  private static let details: [(String, String)] = [
    ("          expected: ", "32"), ("          found:    ", "31"), ("      again: ", "2"),
    ("      | ", "2"),
  ]

  /// The lines of a report, with the colours of what they say.
  func text(_ text: String) -> String {
    guard isOn else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line(String($0)) }.joined(separator: "\n")
  }

  private func line(_ line: String) -> String {
    if let (word, code) = Paint.words.first(where: { line.hasPrefix($0.0) }) {
      return "\u{1b}[\(code)m\(word)\u{1b}[0m\(line.dropFirst(word.count))"
    }
    if let (_, code) = Paint.details.first(where: { line.hasPrefix($0.0) }) {
      return "\u{1b}[\(code)m\(line)\u{1b}[0m"
    }
    return line
  }
}

/// The variables of the environment.
enum Environment {
  static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }

  static func value(_ name: String, or other: String) -> String { self[name] ?? other }
}
