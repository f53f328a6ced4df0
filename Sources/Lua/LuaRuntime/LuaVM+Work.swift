import CLatch

/// Pieces of work that share one budget, and that whoever watches the time takes for one run.
extension LuaVM {
  /// Begins a piece of work: what runs until `endWork()` shares this many instructions, nested runs too.
  ///
  /// Inside another piece, or inside a script of the flow's, it has no more than is left there. A budget of 0
  /// leaves each run its own: then only the time is one. Every piece has to be ended, the latest first.
  package func beginWork(_ phase: Phase, budget: Int) {
    latch_begin_work(latch, phase.latch, Int64(budget), false)
  }

  /// Begins a piece of work that has these instructions to itself wherever it stands, and for which nothing
  /// around it pays: what tools and subscribers have done.
  package func beginWorkApart(_ phase: Phase, budget: Int) {
    latch_begin_work(latch, phase.latch, Int64(budget), true)
  }

  /// Ends the piece of work that began last.
  package func endWork() { latch_end_work(latch) }

  /// Begins what may take any time (`Limits.seconds`), until `endUntimed()`.
  package func beginUntimed() { latch_begin_untimed(latch) }

  /// Ends what may take any time.
  package func endUntimed() { latch_end_untimed(latch) }

  /// Whether the piece of work under way has another around it.
  package var isInsideWork: Bool { latch_is_inside_work(latch) }

  /// Takes instructions off what is left, for what the host does for a script.
  package func spend(_ instructions: Int) { latch_spend(latch, Int64(instructions)) }

  /// Does what takes back what a limit has ended: no memory is too much for it, and no interruption of
  /// before ends it too.
  package func liftLimits(for work: () -> Void) {
    clearInterruption()
    latch_set_memory_limit(latch, 0)
    defer { latch_set_memory_limit(latch, memoryLimit) }
    work()
  }

  /// Whether what runs has been told to end: it was interrupted, or took too long.
  package var mustEnd: Bool { latch_must_end(latch) }
}
