import ArgumentParser
import FlowExplore
import Platform
import Scenarios
import SharedCommands

extension ExitStatus {
  /// A signal has ended it: 128 and its number, as shells have it; 130 for Ctrl-C.
  static var interrupted: ExitCode {
    ExitCode(128 + (Interrupts.signal == 0 ? SIGINT : Interrupts.signal))
  }

  /// The most serious first, where several apply.
  private static let bySeriousness = [
    refusedBySystem, outOfTime, internalFault, shardsDisagree, unloadable, scriptError, failed,
    bounded,
  ]

  /// Of two codes the more serious one.
  static func worse(_ one: ExitCode, _ other: ExitCode) -> ExitCode {
    ([interrupted] + bySeriousness).first { $0 == one || $0 == other } ?? one
  }

  /// What a run of scenarios ends with.
  static func of(_ summary: RunSummary) -> ExitCode {
    if summary.isEmpty { return nothingSelected }
    let kinds = [
      (summary.unloadable, unloadable), (summary.broken, scriptError), (summary.failed, failed),
    ]
    return kinds.filter { $0.0 > 0 }.map(\.1).reduce(.success, worse)
  }

  /// What an exploration ends with.
  static func of(_ report: ExplorationReport) -> ExitCode {
    switch report.ending {
    case .stopped: interrupted
    case _ where report.fails: failed
    case .bounded: bounded
    case .whole: report.isDecided ? .success : bounded
    }
  }

  /// The same for one that may have been stopped.
  static func of(_ end: RunEnd) -> ExitCode {
    switch end.stopped {
    case .interrupted: interrupted
    case .outOfTime: outOfTime
    case .failFast, nil: of(end.summary)
    }
  }
}
