import ArgumentParser
import FlowKernel
import Platform

extension ParsableCommand {
  /// Ends the process with an error's exit code, and says what it was.
  package static func end(with error: any Error) -> Never {
    if let error = error as? Watchdog.BadPatience {
      Terminal.writeError("moonlatch: \(error)\n")
      leave(ExitStatus.usage)
    }
    if error is any SystemRefusal {
      Terminal.writeError("moonlatch: \(error)\n")
      leave(ExitStatus.refusedBySystem)
    }
    // The parser's own errors have codes of their own; another error is none that was foreseen.
    if !(error is ExitCode), exitCode(for: error) == .failure {
      Terminal.writeError("moonlatch: this is a fault of ours, please report it: \(error)\n")
      leave(ExitStatus.internalFault)
    }
    leave(error)
  }

  /// Ends the process, telling what the parser has to say: help, or what was wrong with the arguments.
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
