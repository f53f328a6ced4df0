import CLatch

/// Views, invariants and conditions, which know what of the state they have read.
extension LuaVM {
  package func addReader(_ function: LuaReference) throws(ScriptError) -> Int32 {
    var reader: Int32 = 0
    try check(latch_reader_add(latch, function.number, &reader))
    return reader
  }

  package func isStale(_ reader: Int32) -> Bool { latch_reader_is_stale(latch, reader) }
  package func runs(of reader: Int32) -> Int { Int(latch_reader_runs(latch, reader)) }

  /// The first stale one of these readers.
  package func firstStaleReader(in readers: Range<Int32>) -> Int32? {
    let reader = latch_next_stale_reader(latch, readers.lowerBound, readers.upperBound)
    return reader == LATCH_NO_READER ? nil : reader
  }

  /// Takes a reader that became stale since it was last taken, the latest first.
  package func takeTouchedReader() -> Int32? {
    let reader = latch_take_touched_reader(latch)
    return reader == LATCH_NO_READER ? nil : reader
  }

  /// Gives the bytes too that the value takes outside of Lua, of which there may be no more than `most`.
  package func viewValue(
    _ reader: Int32, budget: Int, most: Int
  ) throws(ScriptError) -> (value: Value, size: Int) {
    var bytes = latch_bytes()
    try check(latch_view_value(latch, reader, Int64(budget), &bytes))
    return try sizedValue(bytes, most: most)
  }

  /// From now on effects ask the host for views: another VM holds the state.
  package func readViewsElsewhere() { latch_read_views_elsewhere(latch) }

  package func checkInvariant(_ reader: Int32, budget: Int) -> RuleAnswer {
    answer(latch_check_invariant(latch, reader, Int64(budget)))
  }

  /// These readers are conditions, each of which remembers what it last said.
  package func setConditions(_ readers: Range<Int32>) {
    latch_set_conditions(latch, readers.lowerBound, readers.upperBound)
  }

  /// Whether a condition may say something else than it last did, since this was last taken.
  package func takeTouchedConditions() -> Bool { latch_take_touched_conditions(latch) }

  /// Conditions may say something else, whatever was read.
  package func touchConditions() { latch_touch_conditions(latch) }

  /// What a condition says of the state: it runs if something that it has read has changed.
  package func askCondition(_ reader: Int32, budget: Int) -> RuleAnswer {
    answer(latch_ask_condition(latch, reader, Int64(budget)))
  }

  /// Throws when the state takes more bytes than the limits allow.
  package func checkState() throws(ScriptError) { try check(latch_check_state(latch)) }
}
