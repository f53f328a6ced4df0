import ArgumentParser
import FlowKernel
import Scenarios
import SharedCommands

/// The option `--list`.
extension RunSession {
  /// Lists the scenarios that would run.
  func list(_ plan: RunPlan) -> ExitCode {
    for note in plan.notes { Terminal.writeError("moonlatch: \(note)\n") }
    var hasUnloadable = false
    for unit in plan.units {
      if let entry = unit.entry {
        let tags = entry.tags.isEmpty ? "" : "  [\(entry.tags.joined(separator: ", "))]"
        let line = "\(unit.item.name):\(entry.line)  \(entry.name)\(tags)"
        Terminal.writeOutput(line.visibleLine + "\n")
      } else {
        hasUnloadable = true
        Runner(settings: settings).run(unit.item) {
          if case .unloadable(let file, let message) = $0 {
            Terminal.writeError(
              "moonlatch: \(file.visibleLine) could not be loaded: \(message)\n")
          }
        }
      }
    }
    if hasUnloadable { return ExitStatus.unloadable }
    return plan.units.isEmpty ? ExitStatus.nothingSelected : .success
  }
}
