import ArgumentParser
import Moonlatch
import Scenarios

/// `moonlatch run`: plays scenario files and says what did not hold.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs scenario files (*.scenario.lua), folders of them, or FILE:LINE.")

  @Argument(help: "Files, folders or FILE:LINE. Without any: the current folder.")
  var paths: [String] = ["."]

  @Flag(name: .shortAndLong, help: "Print only what did not end well, and the closing count.")
  var quiet = false

  func run() throws {
    let selection: Selection
    do {
      selection = try Selection(paths)
    } catch {
      Terminal.writeError("moonlatch: \(error)\n")
      throw ExitStatus.usage
    }
    let report = TextReport()
    let summary = Runner().run(selection) { event in
      if quiet, event.isWell { return }
      Terminal.writeOutput(report.text(for: event) + "\n")
    }
    guard !summary.isEmpty else {
      Terminal.writeError(
        "moonlatch: no scenario was found in \(paths.joined(separator: ", ")); scenario files are "
          + "named *.scenario.lua\n")
      throw ExitStatus.nothingSelected
    }
    Terminal.writeOutput(report.text(for: summary) + "\n")
    if summary.unloadable > 0 { throw ExitStatus.unloadable }
    if summary.broken > 0 { throw ExitStatus.scriptError }
    if summary.failed > 0 { throw ExitStatus.failed }
  }
}

extension Runner.Event {
  /// Whether there is nothing to mend.
  var isWell: Bool {
    guard case .ended(_, _, let result, _) = self else { return false }
    switch result {
    case .passed, .skipped: return true
    default: return false
    }
  }
}
