import FlowKernel
import Platform

/// The colours of output on a terminal; there are none for any other output.
struct Paint {
  let isOn: Bool

  /// Decides for one stream, which has colours if it is a terminal that supports them and `NO_COLOR` is not set.
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

  /// Returns the lines of a report, coloured by their meaning.
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

/// The environment variables.
enum Environment {
  static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }

  static func value(_ name: String, or other: String) -> String { self[name] ?? other }
}
