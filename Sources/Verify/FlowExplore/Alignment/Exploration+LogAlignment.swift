import FlowKernel
import LuaRuntime
import Scenarios

extension Exploration {
  /// Explains a recorded log by the runs of the flow that are nearest to its cases.
  ///
  /// - Parameters:
  ///   - log: how messages name it.
  ///   - steps: so many are looked at for each case, at most.
  /// - Throws: `ExplorationError` for what cannot be explored.
  package func align(
    _ recorded: RecordedVariants, named log: String, steps: Int = LogAlignment.usualSteps
  ) throws -> LogAlignment {
    try LogAlignment(
      flow, setup, with: recorded, named: log, steps: steps,
      until: SearchEnd(after: bounds.time, isStopped))
  }
}
