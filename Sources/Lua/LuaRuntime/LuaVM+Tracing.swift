import CLatch

/// What a traced run did with the state.
package struct TracedRun: Sendable {
  /// What was done with a table, or with what it has under a key.
  package enum Event: UInt8 {
    case read = 1
    case write, put, whole, deep, shape, records, insert, remove
    /// Before another event: its continuation, if that is known.
    case continuation
  }

  /// What there was before, a table with its number in its place, as `latch_trace_begin` tells it.
  package let before: [UInt8]
  /// What there is after it, in the same form, without numbers.
  package let after: [UInt8]
  /// What was looked at and written, as `latch_traced` tells it.
  package let events: [UInt8]
  /// Whether that is all.
  package let isWhole: Bool
  /// How many instructions have run.
  package let instructions: Int
  /// True if each event comes with its continuation.
  package let reportsContinuations: Bool
}

/// Traced runs, from which one learns on what their outcome depends.
extension LuaVM {
  /// From now on runs can be traced; they are slower.
  package func openTrace() throws(ScriptError) { try check(latch_trace_open(latch)) }

  /// Tells from here on what scripts do, and what there is before.
  ///
  /// - Parameter reportsContinuations: true if each event comes with its continuation.
  package func beginTrace(reportsContinuations: Bool = false) throws(ScriptError) -> [UInt8] {
    var state = latch_bytes()
    try check(latch_trace_report_continuations(latch, reportsContinuations))
    try check(latch_trace_begin(latch, &state))
    tracedFrom = instructionsUsed
    tracesContinuations = reportsContinuations
    return LuaVM.copy(state)
  }

  /// How many bytes are told so far.
  package var traceOffset: Int { latch_trace_offset(latch) }

  /// Ends that.
  package func endTrace(before: [UInt8]) throws(ScriptError) -> TracedRun {
    var traced = latch_traced()
    try check(latch_trace_end(latch, &traced))
    return TracedRun(
      before: before, after: LuaVM.copy(traced.state), events: LuaVM.copy(traced.events),
      isWhole: traced.is_whole, instructions: instructionsUsed - tracedFrom,
      reportsContinuations: tracesContinuations)
  }

  /// Has all views, invariants and conditions run again that are asked.
  package func resetReaders() { latch_readers_reset(latch) }

  private static func copy(_ bytes: latch_bytes) -> [UInt8] {
    [UInt8](UnsafeBufferPointer(start: bytes.bytes, count: bytes.length))
  }
}
