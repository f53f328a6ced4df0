import FlowKernel
import FlowLanguage
import Platform

/// Prints the reason why a file was not written, and returns exit code 3.
package func notWritten(_ refused: OutputFile.Refused) -> any Error {
  let why =
    switch refused.code {
    case ENOENT: "cannot be written: there is no such folder"
    case EACCES, EPERM: "cannot be written: permission denied"
    case ENOSPC: "cannot be written: the disk is full"
    default: refused.problem
    }
  Terminal.writeError("moonlatch: \(refused.path) \(why)\n")
  return ExitStatus.scriptError
}
