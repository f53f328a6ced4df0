import CLatch

/// Machines of records: each record at some path of the state has a machine, and an action selects records.
extension LuaVM {
  /// The declaration of a machine that each record at some path of the state has.
  package struct RecordMachine: Sendable {
    package struct Region: Sendable {
      /// The name of the region's field, as a reference to a string; nil for a region without a field.
      package let field: LuaReference?
      /// The leaf number at which the region begins.
      package let beginning: Int
      /// The parent region, and the leaf number in it at which this region is active; nil for the outermost region.
      package let owner: (region: Int, stop: Int)?

      package init(field: LuaReference?, beginning: Int, owner: (region: Int, stop: Int)?) {
        (self.field, self.beginning, self.owner) = (field, beginning, owner)
      }
    }

    /// A value that a region's field may be given, and the leaf number that it stands for.
    package struct Text: Sendable {
      package let text: LuaReference
      package let region: Int
      package let stop: Int

      package init(_ text: LuaReference, region: Int, stop: Int) {
        (self.text, self.region, self.stop) = (text, region, stop)
      }
    }

    /// The names that lead to the collection of records, as references to strings; nil stands for any key.
    package let path: [LuaReference?]
    package let regions: [Region]
    /// The value of a field at each leaf number, as references to strings.
    package let values: [LuaReference]
    package let texts: [Text]
    /// True if records that are added, removed and moved are to be reported by `takeRecordNotes`.
    package let isTold: Bool
    /// True if changed records are to be tracked, because the machine has eventless transitions.
    package let goesOn: Bool

    package init(
      path: [LuaReference?], regions: [Region], values: [LuaReference], texts: [Text],
      isTold: Bool, goesOn: Bool
    ) {
      (self.path, self.regions) = (path, regions)
      (self.values, self.texts) = (values, texts)
      (self.isTold, self.goesOn) = (isTold, goesOn)
    }
  }

  /// A change of a record, which is identified by the number of its machine and its keys.
  package enum RecordNote: Equatable {
    case came(machine: Int32, keys: [Value])
    case went(machine: Int32, keys: [Value])
    case moved(machine: Int32, from: [Value], to: [Value])
  }

  /// The rule by which the payload of an action selects records.
  package final class RecordSelector: Sendable {
    fileprivate let machine: Int32
    fileprivate let fields: [latch_ref]
    fileprivate let endsInList: Bool

    /// - Parameters:
    ///   - fields: the payload fields that hold the keys of the levels, as references to strings; with fewer fields
    ///     than levels, all records below are selected.
    ///   - endsInList: true if the last field holds a list of keys.
    package init(of machine: Int32, by fields: [LuaReference], endsInList: Bool) {
      self.machine = machine
      self.fields = fields.map(\.number)
      self.endsInList = endsInList
    }

    fileprivate func withSelection<Answer>(
      _ body: (UnsafePointer<latch_selection>) -> Answer
    ) -> Answer {
      fields.withUnsafeBufferPointer { fields in
        var selection = latch_selection(
          machine: machine, fields: fields.baseAddress, count: fields.count,
          ends_in_list: endsInList)
        return body(&selection)
      }
    }
  }

  /// The records that an action is about.
  package struct Selection {
    /// The number of the first record; the others have the numbers that follow it.
    package let first: UInt32
    package let count: Int
    /// The first place that the payload names and that has no record; nil if there is none.
    package let missing: String?
  }

  /// The number of the first declared machine; later machines have the numbers that follow it.
  package static let firstRecordMachine = Int32(2)
  /// The maximum number of keys that identify a record.
  package static let mostRecordKeys = Int(LATCH_MOST_RECORD_KEYS)

  /// Declares a machine of records, and starts it in the records that exist.
  ///
  /// It must be called after `finishLoading`.
  package func declare(_ machine: RecordMachine) throws(ScriptError) {
    let regions = machine.regions.map {
      latch_record_region(
        field: $0.field?.number ?? 0, by_default: Int32($0.beginning),
        around: Int32($0.owner?.region ?? -1), owner: Int32($0.owner?.stop ?? -1))
    }
    let texts = machine.texts.map {
      latch_given_text(text: $0.text.number, region: Int32($0.region), stop: Int32($0.stop))
    }
    let status = machine.path.map { $0?.number ?? 0 }.withUnsafeBufferPointer { path in
      regions.withUnsafeBufferPointer { regions in
        machine.values.map(\.number).withUnsafeBufferPointer { values in
          texts.withUnsafeBufferPointer { texts in
            var declared = latch_record_machine(
              path: path.baseAddress, path_count: path.count, regions_of: regions.baseAddress,
              regions: regions.count, values: values.baseAddress, stops: values.count,
              texts_of: texts.baseAddress, texts: texts.count, is_told: machine.isTold,
              goes_on: machine.goesOn, number: 0)
            return latch_declare_records(latch, &declared)
          }
        }
      }
    }
    try check(status)
  }

  /// Returns the changes of records since the last call.
  package func takeRecordNotes() throws(ScriptError) -> [RecordNote] {
    var bytes = latch_bytes()
    try check(latch_take_record_notes(latch, &bytes))
    if bytes.length == 0 { return [] }
    return (try value(bytes).listValue ?? []).compactMap { note in
      let machine = Int32(note[1]?.integerValue ?? 0)
      let keys = note[2]?.listValue ?? []
      switch note[0]?.integerValue {
      case 0: return .came(machine: machine, keys: keys)
      case 1: return .went(machine: machine, keys: keys)
      default: return .moved(machine: machine, from: keys, to: note[3]?.listValue ?? [])
      }
    }
  }

  /// Discards the changes of records since the last call of `takeRecordNotes`.
  package func dropRecordNotes() { latch_drop_record_notes(latch) }

  /// Selects the records that the current payload names, in addition to those already selected.
  package func selectRecords(_ selector: RecordSelector) throws(ScriptError) -> Selection {
    var found = latch_selected()
    try check(selector.withSelection { latch_select_records(latch, $0, &found) })
    return Selection(
      first: found.first, count: Int(found.count),
      missing: found.is_missing ? text(latch_rule_reason(latch)) : nil)
  }

  /// Selects the only record that the current payload names, and passes it and its keys to functions from now on.
  ///
  /// The record gets the number 1. This works only if nothing is selected yet and the machine has one region.
  ///
  /// Returns the leaf number of the record's machine. Returns nil if nothing was done; then `selectRecords` must be
  /// called.
  @inline(__always)
  package func selectNamed(_ selector: RecordSelector) -> Int32? {
    var stop: Int32 = 0
    return selector.withSelection { latch_select_named(latch, $0, &stop) } ? stop : nil
  }

  /// Selects the record with these keys, and returns its number; nil if there is none.
  package func selectRecord(of machine: Int32, keys: [Value]) throws(ScriptError) -> UInt32? {
    var found = latch_selected()
    try check(
      withBytes(of: keys) { latch_select_record(latch, machine, $0, &found) })
    return found.count == 0 ? nil : found.first
  }

  /// Deselects all records.
  package func forgetSelected() { latch_forget_selected(latch) }

  /// Returns the leaf number of each region of a selected record's machine.
  ///
  /// The number is -1 for a region that is not active, and -2 if the field's value names no state.
  package func leafNumbers(
    of record: UInt32, in machine: Int32, regions: Int
  ) throws(ScriptError) -> [Int32] {
    var stops = [Int32](repeating: -1, count: regions)
    let status = stops.withUnsafeMutableBufferPointer {
      latch_record_stops(latch, machine, record, $0.baseAddress)
    }
    try check(status)
    return stops
  }

  /// Returns the keys of a selected record; nil if the record is no longer in the state.
  package func keys(of record: UInt32, in machine: Int32) throws(ScriptError) -> [Value]? {
    var bytes = latch_bytes()
    try check(latch_keys_of_selected(latch, machine, record, &bytes))
    return bytes.length == 0 ? nil : try value(bytes).listValue
  }

  /// Passes a selected record and its keys to the functions that follow, in addition to their other arguments.
  package func focus(on record: UInt32, of machine: Int32) throws(ScriptError) {
    try check(latch_focus_record(latch, machine, record))
  }

  package func unfocus() { latch_unfocus(latch) }
}

/// Eventless transitions of records' machines.
extension LuaVM {
  /// Finds the records that were written to since the last call in the current transaction.
  package func findTouchedRecords() throws(ScriptError) {
    try check(latch_find_touched_records(latch))
  }

  /// Selects the found records that have this machine, then the records that were added.
  package func selectTouchedRecords(of machine: Int32) throws(ScriptError) -> Selection {
    var found = latch_selected()
    try check(latch_select_touched(latch, machine, &found))
    return Selection(first: found.first, count: Int(found.count), missing: nil)
  }

  /// Returns the answer of a condition that receives only the record.
  package func ask(
    _ condition: LuaReference, ofRecord record: UInt32, of machine: Int32, budget: Int
  ) throws(ScriptError) -> RuleAnswer {
    try focus(onlyOn: record, of: machine)
    defer { unfocus() }
    return answer(
      latch_call_rule(latch, condition.number, 0, run(LATCH_INVARIANT, budget)))
  }

  package func forgetTouchedRecords() { latch_forget_touched_records(latch) }

  /// Passes only a selected record to the functions that follow, without state, payload and keys.
  private func focus(onlyOn record: UInt32, of machine: Int32) throws(ScriptError) {
    try check(latch_focus_only(latch, machine, record))
  }
}
