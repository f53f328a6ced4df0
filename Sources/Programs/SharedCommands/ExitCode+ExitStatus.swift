import ArgumentParser
import FlowKernel
import Platform

extension ExitCode {
  /// Ends the process with this exit code.
  package func leave() -> Never { exit(rawValue) }
}
