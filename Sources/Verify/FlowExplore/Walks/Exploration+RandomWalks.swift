import FlowKernel
import FlowLanguage
import LuaRuntime

extension Exploration {
  /// Walks through the flow by chance, for spaces that do not end: no state is kept.
  ///
  /// What is found is the same for any number of threads, unless time ends it.
  ///
  /// - Throws: `ExplorationError` for what cannot be explored.
  public func walk(_ walks: WalkBounds) throws -> WalkReport {
    let end = SearchEnd(after: bounds.time, isStopped)
    let run = WalkRun(self, walks, end)
    for _ in 1..<max(1, min(jobs, walks.walks)) { run.startThread() }
    run.goOn()
    run.waitForThreads()
    return try run.report()
  }
}
