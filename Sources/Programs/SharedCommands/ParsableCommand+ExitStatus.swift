import ArgumentParser
import FlowKernel
import Platform

extension ParsableCommand {
  /// Prints an error and ends the process with its exit code.
  package static func end(with error: any Error) -> Never {
    if let error = error as? Watchdog.BadPatience {
      Terminal.writeError("moonlatch: \(error)\n")
      leave(ExitStatus.usage)
    }
    if error is any SystemRefusal {
      Terminal.writeError("moonlatch: \(error)\n")
      leave(ExitStatus.refusedBySystem)
    }
    // The parser's own errors have codes of their own; any other error is unexpected.
    if !(error is ExitCode), exitCode(for: error) == .failure {
      Terminal.writeError("moonlatch: internal error, please report it: \(error)\n")
      leave(ExitStatus.internalFault)
    }
    leave(error)
  }

  /// Prints the parser's message, which is help or an error in the arguments, and ends the process.
  package static func leave(_ error: any Error) -> Never {
    let code = exitCode(for: error)
    let message = fullMessage(for: error)
    if !message.isEmpty {
      if code.isSuccess {
        Terminal.writeOutput(message + "\n")
      } else {
        Terminal.writeError(message + "\n")
      }
    }
    code.leave()
  }
}
