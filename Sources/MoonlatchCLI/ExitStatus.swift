import ArgumentParser
import Platform
import Scenarios

/// How the command ends, most serious first where several apply: 70, 5, 2, 3, 1.
enum ExitStatus {
  static let failed = ExitCode(1)
  static let unloadable = ExitCode(2)
  static let scriptError = ExitCode(3)
  static let nothingSelected = ExitCode(4)
  static let shardsDisagree = ExitCode(5)
  static let usage = ExitCode(64)
  static let internalFault = ExitCode(70)
  static let outOfTime = ExitCode(124)
  static let interrupted = ExitCode(130)

  /// What a run of scenarios ends with.
  static func of(_ summary: RunSummary) -> ExitCode {
    if summary.isEmpty { return nothingSelected }
    if summary.unloadable > 0 { return unloadable }
    if summary.broken > 0 { return scriptError }
    return summary.failed > 0 ? failed : .success
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
