import FlowKernel
import LuaRuntime
import Scenarios

extension Exploration {
  /// Aligns the cases of a recorded log with runs of the flow.
  ///
  /// - Parameters:
  ///   - log: the name of the log in messages.
  ///   - steps: the maximum number of search steps for each case.
  /// - Throws: `ExplorationError` if the flow cannot be explored.
  package func align(
    _ recorded: RecordedVariants, named log: String, steps: Int = LogAlignment.usualSteps
  ) throws -> LogAlignment {
    try LogAlignment(
      flow, setup, with: recorded, named: log, steps: steps,
      until: SearchEnd(after: bounds.time, isStopped))
  }
}
