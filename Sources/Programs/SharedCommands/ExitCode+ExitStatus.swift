import ArgumentParser
import FlowKernel
import Platform

extension ExitCode {
  /// Ends the process with it.
  package func leave() -> Never { exit(rawValue) }
}
