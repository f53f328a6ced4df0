import FlowKernel
import FlowLanguage
import LuaRuntime

extension Exploration {
  /// Runs random walks through the flow, for infinite state spaces: no states are stored.
  ///
  /// The findings do not depend on the number of threads, unless the time ends the walks.
  ///
  /// - Throws: `ExplorationError` if the flow cannot be explored.
  public func walk(_ walks: WalkBounds) throws -> WalkReport {
    let end = SearchEnd(after: bounds.time, isStopped)
    let run = WalkRun(self, walks, end)
    for _ in 1..<max(1, min(jobs, walks.walks)) { run.startThread() }
    run.goOn()
    run.waitForThreads()
    return try run.report()
  }
}
