import CLatch

/// Pieces of work: several runs that share one budget and count as one run for the time limit.
extension LuaVM {
  /// Begins a piece of work: all runs until `endWork()`, nested ones too, share this many instructions.
  ///
  /// Inside another piece of work, or inside a script of the flow, no more is available than remains there. With a
  /// budget of 0 each run has its own, and only the time is shared. Every piece must be ended, the latest first.
  package func beginWork(_ phase: Phase, budget: Int) {
    latch_begin_work(latch, phase.latch, Int64(budget), false)
  }

  /// Begins work with its own budget, which the surrounding run does not pay for.
  ///
  /// Work for tools and subscribers is done this way.
  package func beginWorkApart(_ phase: Phase, budget: Int) {
    latch_begin_work(latch, phase.latch, Int64(budget), true)
  }

  /// Ends the piece of work that began last.
  package func endWork() { latch_end_work(latch) }

  /// Suspends the time limit (`Limits.processorTime`) until `endUntimed()`.
  package func beginUntimed() { latch_begin_untimed(latch) }

  /// Ends the suspension of the time limit.
  package func endUntimed() { latch_end_untimed(latch) }

  /// True if the current piece of work is inside another one.
  package var isInsideWork: Bool { latch_is_inside_work(latch) }

  /// Deducts instructions from the remaining budget, for work that the host does for a script.
  package func spend(_ instructions: Int) { latch_spend(latch, Int64(instructions)) }

  /// Runs cleanup after a limit was reached, without a memory limit and without the interruption that ended the
  /// run.
  package func liftLimits(for work: () -> Void) {
    clearInterruption()
    latch_set_memory_limit(latch, 0)
    defer { latch_set_memory_limit(latch, memoryLimit) }
    work()
  }

  /// True if the current run must end, because it was interrupted or exceeded its time limit.
  package var mustEnd: Bool { latch_must_end(latch) }
}
