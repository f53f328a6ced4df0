import CLatch

/// Transitions, and the state that they change.
extension LuaVM {
  /// Makes stale what has read something outside the state under this name.
  package func touch(_ name: String) throws(ScriptError) {
    try check(latch_touch_name(latch, name))
  }

  package func begin() { latch_begin(latch) }
  package func adopt() throws(ScriptError) { try check(latch_promote(latch)) }

  /// The same for what a block of a document has put there, which the next ones compare by what it holds.
  package func endBlock() throws(ScriptError) { try check(latch_end_block(latch)) }
  /// Before more is written in the same transition.
  package func goOn() throws(ScriptError) { try check(latch_go_on(latch)) }
  package func rollback() { latch_rollback(latch) }

  /// Ends the transition and gives its patch, encoded, valid until the next one begins.
  package func endTransaction() throws(ScriptError) -> UnsafeRawBufferPointer {
    var patch = latch_bytes()
    try check(latch_end_transaction(latch, &patch))
    return UnsafeRawBufferPointer(start: patch.bytes, count: patch.length)
  }

  /// Calls a writer with the changes of a patch, or of several in the order in which they were made.
  package func apply(
    _ patch: [UInt8], backwards: Bool, with function: LuaReference, budget: Int
  ) throws(ScriptError) {
    try check(
      patch.withUnsafeBufferPointer {
        latch_apply_patch(
          latch, function.number, $0.baseAddress, $0.count, backwards, run(LATCH_REDUCER, budget))
      })
  }

  /// Puts scalars over those that stand in the state, outside of any transition: each is how many keys lead there in a
  /// byte, these keys, and the value.
  ///
  /// Readers know nothing of it.
  ///
  /// - Returns: false where something else stands there or is to; some may have been put then.
  package func put(scalars: [UInt8]) throws(ScriptError) -> Bool {
    var isDone = false
    try check(
      scalars.withUnsafeBufferPointer {
        latch_put_scalars(latch, $0.baseAddress, $0.count, &isDone)
      })
    return isDone
  }

  /// The whole state, encoded with what kind of table each is, after other bytes.
  package func stateBytes(after head: [UInt8]) throws(ScriptError) -> [UInt8] {
    var bytes = latch_bytes()
    try check(latch_state_get(latch, &bytes))
    var whole = head
    whole.reserveCapacity(head.count + bytes.length)
    whole += UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.length)
    return whole
  }

  /// The patch of the transition under way.
  package func patch() throws(ScriptError) -> CompactBytes {
    var patch = latch_bytes()
    try check(latch_patch(latch, &patch))
    return CompactBytes(UnsafeRawBufferPointer(start: patch.bytes, count: patch.length))
  }

  /// The whole state.
  package func state() throws(ScriptError) -> Value {
    var bytes = latch_bytes()
    try check(latch_state_get(latch, &bytes))
    return try value(bytes)
  }
}
