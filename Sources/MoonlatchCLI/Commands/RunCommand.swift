import ArgumentParser
import Moonlatch
import Scenarios

/// `moonlatch run`: plays scenario files and says what did not hold.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs scenario files (*.scenario.lua), folders of them, or FILE:LINE.",
    discussion: """
      Files run in the order of their names, scenarios in the order of their file, each against a
      fresh flow. The report goes to standard output; what selected nothing is told on standard
      error.
      """)

  @Argument(help: "Files, folders or FILE:LINE. Without any: the current folder.")
  var paths: [String] = ["."]

  @Flag(name: .shortAndLong, help: "Print only what did not end well, and the closing count.")
  var quiet = false

  func run() throws {
    let report = TextReport()
    let summary = Runner().run(Selection(paths)) { event in
      if case .nothing(let message) = event {
        Terminal.writeError("moonlatch: \(message)\n")
      } else if !quiet || !event.isWell {
        Terminal.writeOutput(report.text(for: event) + "\n")
      }
    }
    if !summary.isEmpty { Terminal.writeOutput(report.text(for: summary) + "\n") }
    let status = ExitStatus.of(summary)
    if status != .success { throw status }
  }
}

extension Runner.Event {
  /// Whether there is nothing to mend.
  fileprivate var isWell: Bool {
    guard case .ended(_, _, let result, _) = self else { return false }
    switch result {
    case .passed, .skipped: return true
    default: return false
    }
  }
}
