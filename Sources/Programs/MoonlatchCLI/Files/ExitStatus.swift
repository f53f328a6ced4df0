import ArgumentParser
import FlowExplore
import Platform
import Scenarios
import SharedCommands

extension ExitStatus {
  /// The exit code after a signal: 128 plus its number, as in shells; 130 for Ctrl-C.
  static var interrupted: ExitCode {
    ExitCode(128 + (Interrupts.signal == 0 ? SIGINT : Interrupts.signal))
  }

  /// The exit codes by seriousness, the most serious first.
  private static let bySeriousness = [
    refusedBySystem, outOfTime, internalFault, shardsDisagree, unloadable, scriptError, failed,
    bounded,
  ]

  /// Returns the more serious of two codes.
  static func worse(_ one: ExitCode, _ other: ExitCode) -> ExitCode {
    ([interrupted] + bySeriousness).first { $0 == one || $0 == other } ?? one
  }

  /// Returns the exit code of a run of scenarios.
  static func of(_ summary: RunSummary) -> ExitCode {
    if summary.isEmpty { return nothingSelected }
    let kinds = [
      (summary.unloadable, unloadable), (summary.broken, scriptError), (summary.failed, failed),
    ]
    return kinds.filter { $0.0 > 0 }.map(\.1).reduce(.success, worse)
  }

  /// Returns the exit code of an exploration.
  static func of(_ report: ExplorationReport) -> ExitCode {
    switch report.ending {
    case .stopped: interrupted
    case _ where report.fails: failed
    case .bounded: bounded
    case .whole: report.isDecided ? .success : bounded
    }
  }

  /// Returns the exit code of a run of scenarios that may have been stopped.
  static func of(_ end: RunEnd) -> ExitCode {
    switch end.stopped {
    case .interrupted: interrupted
    case .outOfTime: outOfTime
    case .failFast, nil: of(end.summary)
    }
  }
}
