import ArgumentParser
import FlowKernel
import FlowLanguage
import LuaRuntime

/// Runs `body`, prints an error of the journal or the flow, and rethrows it as exit code 2.
package func journalErrors<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as JournalError {
    Terminal.writeError("moonlatch: \(error)\n".visible)
  } catch let error as ScriptError {
    Terminal.writeError("moonlatch: \(error.report)\n")
  } catch let error as FlowError {
    Terminal.writeError("moonlatch: \(error.report)\n")
  }
  throw ExitStatus.unloadable
}
