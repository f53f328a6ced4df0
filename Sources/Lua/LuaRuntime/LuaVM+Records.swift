import CLatch

/// Machines for records: which those are, and which an action is about.
extension LuaVM {
  /// A machine that each record of some part of the state has.
  package struct RecordMachine: Sendable {
    package struct Region: Sendable {
      /// A kept string; nil for one without a field.
      package let field: LuaReference?
      /// The stop at which it begins.
      package let beginning: Int
      /// The region around it and the stop of that at which it is active; nil for the outermost.
      package let owner: (region: Int, stop: Int)?

      package init(field: LuaReference?, beginning: Int, owner: (region: Int, stop: Int)?) {
        (self.field, self.beginning, self.owner) = (field, beginning, owner)
      }
    }

    /// What a region's field may be given, a kept string, and the stop at which it stands then.
    package struct Text: Sendable {
      package let text: LuaReference
      package let region: Int
      package let stop: Int

      package init(_ text: LuaReference, region: Int, stop: Int) {
        (self.text, self.region, self.stop) = (text, region, stop)
      }
    }

    /// The names that lead to what holds the records, kept strings; nil stands for any key.
    package let path: [LuaReference?]
    package let regions: [Region]
    /// What a field says at each stop, kept strings.
    package let values: [LuaReference]
    package let texts: [Text]
    /// Whether to note records that come, go and move.
    package let isTold: Bool
    /// Whether to note records that change: the machine may go on unasked.
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

  /// What has happened to a record, known by its machine's number and its keys.
  package enum RecordNote: Equatable {
    case came(machine: Int32, keys: [Value])
    case went(machine: Int32, keys: [Value])
    case moved(machine: Int32, from: [Value], to: [Value])
  }

  /// How the payload of an action names the records that it is about.
  package final class RecordSelector: Sendable {
    fileprivate let machine: Int32
    fileprivate let fields: [latch_ref]
    fileprivate let endsInList: Bool

    /// - Parameters:
    ///   - fields: the fields of the payload with the keys of the levels, kept strings; where there are fewer
    ///     than levels, all records below are meant.
    ///   - endsInList: whether the last of them holds a list of keys.
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

  /// Records that an action is about.
  package struct Selection {
    /// They are known by this number and those that follow.
    package let first: UInt32
    package let count: Int
    /// The first place at which there is none, where the payload names one.
    package let missing: String?
  }

  /// The number of the first machine that is declared; those of others follow.
  package static let firstRecordMachine = Int32(2)
  /// The most keys by which a record may be known.
  package static let mostRecordKeys = Int(LATCH_MOST_RECORD_KEYS)

  /// Has records have a machine from now on: those that there are begin.
  ///
  /// After `finishLoading`.
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

  /// What has happened to records since this was asked last.
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

  /// Forgets it.
  package func dropRecordNotes() { latch_drop_record_notes(latch) }

  /// Selects the records that the payload under way names, besides those that are selected.
  package func selectRecords(_ selector: RecordSelector) throws(ScriptError) -> Selection {
    var found = latch_selected()
    try check(selector.withSelection { latch_select_records(latch, $0, &found) })
    return Selection(
      first: found.first, count: Int(found.count),
      missing: found.is_missing ? text(latch_rule_reason(latch)) : nil)
  }

  /// Selects the only record that the payload under way names, where nothing is selected and its machine
  /// has one region: it gets the number 1, and functions get it and its keys from now on.
  ///
  /// Gives the stop at which its machine stands; nil where nothing was done, and `selectRecords` says
  /// which records there are.
  @inline(__always)
  package func selectNamed(_ selector: RecordSelector) -> Int32? {
    var stop: Int32 = 0
    return selector.withSelection { latch_select_named(latch, $0, &stop) } ? stop : nil
  }

  /// Selects the record with these keys; nil where there is none.
  package func selectRecord(of machine: Int32, keys: [Value]) throws(ScriptError) -> UInt32? {
    var found = latch_selected()
    try check(
      withBytes(of: keys) { latch_select_record(latch, machine, $0, &found) })
    return found.count == 0 ? nil : found.first
  }

  /// Forgets all records that were selected.
  package func forgetSelected() { latch_forget_selected(latch) }

  /// Where a selected record's machine stands: a stop a region, -1 for one that is not active, -2 where the
  /// field says what is no state.
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

  /// The keys of a selected record; nil where it stands nowhere any more.
  package func keys(of record: UInt32, in machine: Int32) throws(ScriptError) -> [Value]? {
    var bytes = latch_bytes()
    try check(latch_keys_of_selected(latch, machine, record, &bytes))
    return bytes.length == 0 ? nil : try value(bytes).listValue
  }

  /// Has the functions that follow get a selected record and its keys, besides what they get anyway.
  package func focus(on record: UInt32, of machine: Int32) throws(ScriptError) {
    try check(latch_focus_record(latch, machine, record))
  }

  package func unfocus() { latch_unfocus(latch) }
}

/// What machines for records do unasked.
extension LuaVM {
  /// Finds the records in which something was written since this was asked last in the transition under way.
  package func findTouchedRecords() throws(ScriptError) {
    try check(latch_find_touched_records(latch))
  }

  /// Selects those that have a machine, and those that have come.
  package func selectTouchedRecords(of machine: Int32) throws(ScriptError) -> Selection {
    var found = latch_selected()
    try check(latch_select_touched(latch, machine, &found))
    return Selection(first: found.first, count: Int(found.count), missing: nil)
  }

  /// What a condition says of the record alone.
  package func ask(
    _ condition: LuaReference, ofRecord record: UInt32, of machine: Int32, budget: Int
  ) throws(ScriptError) -> RuleAnswer {
    try focus(onlyOn: record, of: machine)
    defer { unfocus() }
    return answer(
      latch_call_rule(latch, condition.number, 0, run(LATCH_INVARIANT, budget)))
  }

  package func forgetTouchedRecords() { latch_forget_touched_records(latch) }

  /// Has the functions that follow get a selected record alone, without state, payload and keys.
  private func focus(onlyOn record: UInt32, of machine: Int32) throws(ScriptError) {
    try check(latch_focus_only(latch, machine, record))
  }
}
