import ArgumentParser
import FlowExplore
import Platform
import Scenarios

/// How the command ends.
enum ExitStatus {
  static let failed = ExitCode(1)
  static let unloadable = ExitCode(2)
  static let scriptError = ExitCode(3)
  static let nothingSelected = ExitCode(4)
  static let shardsDisagree = ExitCode(5)
  static let bounded = ExitCode(6)
  static let usage = ExitCode(64)
  static let unavailable = ExitCode(69)
  static let internalFault = ExitCode(70)
  static let outOfTime = ExitCode(124)
  static let interrupted = ExitCode(130)

  /// The most serious first, where several apply.
  private static let bySeriousness = [
    interrupted, outOfTime, internalFault, shardsDisagree, unloadable, scriptError, failed, bounded,
  ]

  /// Of two codes the more serious one.
  static func worse(_ one: ExitCode, _ other: ExitCode) -> ExitCode {
    bySeriousness.first { $0 == one || $0 == other } ?? one
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
    case .whole: .success
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

extension ExitCode {
  /// Ends the process with it.
  func leave() -> Never { exit(rawValue) }
}
