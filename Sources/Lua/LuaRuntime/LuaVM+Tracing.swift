import CLatch

/// The record of a traced run: its reads and writes of the state.
package struct TracedRun: Sendable {
  /// An operation on a table, or on the value under one of its keys.
  package enum Event: UInt8 {
    case read = 1
    case write, put, whole, deep, shape, records, insert, remove
    /// A prefix of another event, which holds that event's continuation if it is known.
    case continuation
  }

  /// The state before the run, with the number of each table, in the format of `latch_trace_begin`.
  package let before: [UInt8]
  /// The state after the run, in the same format, without the numbers of tables.
  package let after: [UInt8]
  /// The reads and writes, in the format of `latch_traced`.
  package let events: [UInt8]
  /// True if `events` is complete.
  package let isWhole: Bool
  /// The number of instructions that the run used.
  package let instructions: Int
  /// True if each event comes with its continuation.
  package let reportsContinuations: Bool
}

/// Tracing of runs, to learn which parts of the state their outcome depends on.
extension LuaVM {
  /// Enables tracing in this VM, which makes its runs slower.
  package func openTrace() throws(ScriptError) { try check(latch_trace_open(latch)) }

  /// Begins a trace, and returns the encoded state at this point.
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

  /// The number of bytes that the trace has recorded so far.
  package var traceOffset: Int { latch_trace_offset(latch) }

  /// Ends the trace and returns it.
  package func endTrace(before: [UInt8]) throws(ScriptError) -> TracedRun {
    var traced = latch_traced()
    try check(latch_trace_end(latch, &traced))
    return TracedRun(
      before: before, after: LuaVM.copy(traced.state), events: LuaVM.copy(traced.events),
      isWhole: traced.is_whole, instructions: instructionsUsed - tracedFrom,
      reportsContinuations: tracesContinuations)
  }

  /// Marks all views, invariants and conditions as stale.
  package func resetReaders() { latch_readers_reset(latch) }

  private static func copy(_ bytes: latch_bytes) -> [UInt8] {
    [UInt8](UnsafeBufferPointer(start: bytes.bytes, count: bytes.length))
  }
}
