import CLatch

/// Pieces of work that share one budget, and that whoever watches the time takes for one run.
extension LuaVM {
  /// A piece of work that has begun.
  package struct Work {
    fileprivate let grant: latch_grant
  }

  /// Begins a piece of work: what runs until `end(_:)` shares this many instructions, nested runs too.
  ///
  /// Inside another piece, or inside a script of the flow's, it has no more than is left there. A budget of 0
  /// leaves each run its own: then only the time is one.
  ///
  /// - Parameter isApart: it has them to itself all the same, and nothing around it pays for it: what tools
  ///   and subscribers have done.
  package func begin(_ phase: Phase, budget: Int, isApart: Bool = false) -> Work {
    Work(grant: latch_begin_work(latch, phase.latch, Int64(budget), isApart))
  }

  /// Ends a piece of work: the latest one that has begun and not ended.
  package func end(_ work: Work) { latch_end_work(latch, work.grant) }

  /// Takes instructions off what is left, for what the host does for a script.
  package func spend(_ instructions: Int) { latch_spend(latch, Int64(instructions)) }

  /// Whether what runs has been told to end: it was interrupted, or took too long.
  package var mustEnd: Bool { latch_must_end(latch) }
}
