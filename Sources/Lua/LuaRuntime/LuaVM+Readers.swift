import CLatch

/// Readers: views, invariants and conditions, whose reads of the state are tracked.
extension LuaVM {
  package func addReader(_ function: LuaReference) throws(ScriptError) -> Int32 {
    var reader: Int32 = 0
    try check(latch_reader_add(latch, function.number, &reader))
    return reader
  }

  package func isStale(_ reader: Int32) -> Bool { latch_reader_is_stale(latch, reader) }
  package func runs(of reader: Int32) -> Int { Int(latch_reader_runs(latch, reader)) }

  /// Returns the first stale reader in a range of readers, or nil.
  package func firstStaleReader(in readers: Range<Int32>) -> Int32? {
    let reader = latch_next_stale_reader(latch, readers.lowerBound, readers.upperBound)
    return reader == LATCH_NO_READER ? nil : reader
  }

  /// Removes and returns a reader that became stale since the last call, the latest first; nil if there is none.
  package func takeTouchedReader() -> Int32? {
    let reader = latch_take_touched_reader(latch)
    return reader == LATCH_NO_READER ? nil : reader
  }

  /// Returns the value of a view, and the number of bytes that the value takes outside of Lua.
  ///
  /// - Throws: a `limit` error if it takes more than `most` bytes.
  package func viewValue(
    _ reader: Int32, budget: Int, most: Int
  ) throws(ScriptError) -> (value: Value, size: Int) {
    var bytes = latch_bytes()
    try check(latch_view_value(latch, reader, Int64(budget), &bytes))
    return try sizedValue(bytes, most: most)
  }

  /// Makes effects ask the host for the values of views, because another VM now holds the state.
  package func readViewsElsewhere() { latch_read_views_elsewhere(latch) }

  package func checkInvariant(_ reader: Int32, budget: Int) -> RuleAnswer {
    answer(latch_check_invariant(latch, reader, Int64(budget)))
  }

  /// Declares these readers to be conditions, each of which caches its last answer.
  package func setConditions(_ readers: Range<Int32>) {
    latch_set_conditions(latch, readers.lowerBound, readers.upperBound)
  }

  /// Returns true if the answer of any condition may have changed since the last call, and resets that flag.
  package func takeTouchedConditions() -> Bool { latch_take_touched_conditions(latch) }

  /// Marks the answers of all conditions as possibly changed.
  package func touchConditions() { latch_touch_conditions(latch) }

  /// Returns the answer of a condition, which runs only if something that it has read has changed.
  package func askCondition(_ reader: Int32, budget: Int) -> RuleAnswer {
    answer(latch_ask_condition(latch, reader, Int64(budget)))
  }

  /// Throws if the state takes more bytes than the limits allow.
  package func checkState() throws(ScriptError) { try check(latch_check_state(latch)) }
}
