import LuaRuntime

/// A report in the Test Anything Protocol, version 14.
///
/// It has a line for each scenario, a YAML block for each that did not end well, and the plan at the end.
struct TAPReport: EventReport {
  private var number = 0

  mutating func text(for event: RunEvent) -> String {
    switch event {
    case .began(let header):
      return "TAP version 14\n"
        + (header.hasRestarts ? comment("with a restart after every turn") : "")
    case .nothing(let message): return comment(message)
    case .unloadable(let file, let message):
      return point(false, file, "") + block([("message", message), ("at", file)])
    case .ended(let record): return text(for: record)
    case .covered(let coverage):
      return CoverageText(record: coverage).lines.map(comment).joined()
    case .finished(let end):
      let stopped = end.stopped.map { "Bail out! \($0.rawValue)\n" } ?? ""
      return stopped + "1..\(number)\n"
    }
  }

  private mutating func text(for record: ScenarioRecord) -> String {
    let skip = record.reason.map { " # SKIP \(TAPReport.line($0))" } ?? ""
    let title = "\(record.file):\(record.line) \(record.name)"
    let printed = record.printed.map(comment).joined()
    guard let problem = record.problem else {
      return point(record.isWell, title, skip) + printed
    }
    let differences = problem.mismatches.map {
      "\($0.path): expected \($0.expected), found \($0.found)"
    }
    return point(false, title, skip)
      + block(
        [
          ("message", problem.message), ("severity", record.status == .failed ? "fail" : "error"),
          ("at", problem.place),
        ], differences) + printed
  }

  private mutating func point(_ isWell: Bool, _ title: String, _ directive: String) -> String {
    number += 1
    return "\(isWell ? "ok" : "not ok") \(number) - \(TAPReport.escaped(title))\(directive)\n"
  }

  private func comment(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { "# \(TAPReport.line(String($0)))\n" }.joined()
  }

  private func block(_ fields: [(String, String)], _ differences: [String] = []) -> String {
    var text = "  ---\n"
    for (name, value) in fields where !value.isEmpty {
      text += "  \(name): \(quoted(value))\n"
    }
    if !differences.isEmpty { text += "  differences:\n" }
    for difference in differences { text += "    - \(quoted(difference))\n" }
    return text + "  ...\n"
  }

  /// Returns the text in quotes, which YAML reads as JSON does.
  private func quoted(_ text: String) -> String { JSONText.visible(.string(text)) }

  /// Returns the text on one line, without control characters.
  private static func line(_ text: String) -> String {
    let spaced = text.unicodeScalars.map { $0.value < 32 ? " " : $0 }
    return String(String.UnicodeScalarView(spaced)).visible
  }

  /// Returns the text as a description, in which a number sign would begin a directive.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in line(text).unicodeScalars {
      if scalar == "\\" || scalar == "#" { escaped += "\\" }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }
}
