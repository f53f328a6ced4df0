import CLatch

extension LuaVM {
  /// Takes the steps in order, all on one budget.
  package func take(_ steps: TransactionSteps, budget: Int) throws(ScriptError) {
    let run = latch_run(phase: LATCH_REDUCER, budget: Int64(budget))
    let status = steps.steps.withUnsafeBufferPointer {
      latch_take_steps(latch, $0.baseAddress, $0.count, run)
    }
    try check(status)
  }
}
