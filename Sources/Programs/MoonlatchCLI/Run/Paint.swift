import FlowKernel
import Platform

/// Colours on a terminal, and nothing of the kind anywhere else.
struct Paint {
  let isOn: Bool

  /// Decides for one stream: `NO_COLOR` and a terminal that has none are respected.
  init(descriptor: Int32) {
    isOn =
      isatty(descriptor) == 1 && Environment.value("NO_COLOR", or: "").isEmpty
      && Environment.value("TERM", or: "dumb") != "dumb"
  }

  private static let words: [(String, Emphasis)] = [
    ("ok  ", .green), ("skip ", .yellow), ("FAIL ", .boldRed), ("ERROR ", .boldRed),
  ]
  private static let details: [(String, Emphasis)] = [
    ("          expected: ", .green), ("          found:    ", .red), ("      again: ", .faint),
    ("      | ", .faint),
  ]

  /// The lines of a report, with the colours of what they say.
  func text(_ text: String) -> String {
    guard isOn else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line(String($0)) }.joined(separator: "\n")
  }

  private func line(_ line: String) -> String {
    if let (word, emphasis) = Paint.words.first(where: { line.hasPrefix($0.0) }) {
      return emphasis(word) + line.dropFirst(word.count)
    }
    if let (_, emphasis) = Paint.details.first(where: { line.hasPrefix($0.0) }) {
      return emphasis(line)
    }
    return line
  }
}

/// The variables of the environment.
enum Environment {
  static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }

  static func value(_ name: String, or other: String) -> String { self[name] ?? other }
}
