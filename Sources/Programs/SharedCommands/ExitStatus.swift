import ArgumentParser
import FlowKernel
import Platform

/// The exit codes of commands.
package enum ExitStatus {
  package static let failed = ExitCode(1)
  package static let unloadable = ExitCode(2)
  package static let scriptError = ExitCode(3)
  package static let nothingSelected = ExitCode(4)
  package static let shardsDisagree = ExitCode(5)
  package static let bounded = ExitCode(6)
  package static let usage = ExitCode(64)
  package static let unavailable = ExitCode(69)
  package static let internalFault = ExitCode(70)
  package static let refusedBySystem = ExitCode(74)
  package static let outOfTime = ExitCode(124)
}
