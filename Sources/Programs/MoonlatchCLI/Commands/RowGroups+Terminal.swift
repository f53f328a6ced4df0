import FlowKernel
import Platform
import Scenarios
import SharedCommands

extension RowGroups {
  /// Prints each group with the line of its first row to standard error.
  func report(of log: String) {
    for group in groups {
      Terminal.writeError("\(log):\(group.firstLine): \(group.text)".visibleLine + "\n")
    }
    if ungrouped > 0 {
      Terminal.writeError("\(log): \(ungrouped) more rows, for reasons not listed\n")
    }
  }
}
