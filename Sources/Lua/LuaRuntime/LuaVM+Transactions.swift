import CLatch

/// Transactions, and the state that they change.
extension LuaVM {
  /// Marks as stale all readers that have read something outside the state under this name.
  package func touch(_ name: String) throws(ScriptError) {
    try check(latch_touch_name(latch, name))
  }

  package func begin() { latch_begin(latch) }
  package func adopt() throws(ScriptError) { try check(latch_promote(latch)) }

  /// Copies what a block of a document has put into the state, so that later blocks compare tables by content.
  package func endBlock() throws(ScriptError) { try check(latch_end_block(latch)) }
  /// Prepares for more writes in the same transaction, after `adopt`.
  package func goOn() throws(ScriptError) { try check(latch_go_on(latch)) }
  package func rollback() { latch_rollback(latch) }

  /// Ends the transaction and returns its encoded patch, which is valid until the next transaction begins.
  package func endTransaction() throws(ScriptError) -> UnsafeRawBufferPointer {
    var patch = latch_bytes()
    try check(latch_end_transaction(latch, &patch))
    return UnsafeRawBufferPointer(start: patch.bytes, count: patch.length)
  }

  /// Calls a writer with the changes of one patch, or of several in the order in which they were made.
  package func apply(
    _ patch: [UInt8], backwards: Bool, with function: LuaReference, budget: Int
  ) throws(ScriptError) {
    try check(
      patch.withUnsafeBufferPointer {
        latch_apply_patch(
          latch, function.number, $0.baseAddress, $0.count, backwards, run(LATCH_REDUCER, budget))
      })
  }

  /// Overwrites scalars in the state, outside of any transaction and without marking readers as stale.
  ///
  /// Each entry of `scalars` is the number of keys in one byte, the keys, and the new value.
  ///
  /// - Returns: false if an old or new value is not a scalar. Some scalars may have been written then.
  package func put(scalars: [UInt8]) throws(ScriptError) -> Bool {
    var isDone = false
    try check(
      scalars.withUnsafeBufferPointer {
        latch_put_scalars(latch, $0.baseAddress, $0.count, &isDone)
      })
    return isDone
  }

  /// Returns the encoded state, with the kind of each table, after the bytes of `head`.
  package func stateBytes(after head: [UInt8]) throws(ScriptError) -> [UInt8] {
    var bytes = latch_bytes()
    try check(latch_state_get(latch, &bytes))
    var whole = head
    whole.reserveCapacity(head.count + bytes.length)
    whole += UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.length)
    return whole
  }

  /// Returns the patch of the current transaction.
  package func patch() throws(ScriptError) -> CompactBytes {
    var patch = latch_bytes()
    try check(latch_patch(latch, &patch))
    return CompactBytes(UnsafeRawBufferPointer(start: patch.bytes, count: patch.length))
  }

  /// Returns the whole state.
  package func state() throws(ScriptError) -> Value {
    var bytes = latch_bytes()
    try check(latch_state_get(latch, &bytes))
    return try value(bytes)
  }
}
