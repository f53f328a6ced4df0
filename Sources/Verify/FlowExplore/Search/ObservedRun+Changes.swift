import CExplore
import FlowKernel
import LuaRuntime

/// The results of a run, as writes to slots.
extension ObservedRun {
  /// Returns the slots that were written or have changed; a slot that changed without a write counts as a read as well.
  ///
  /// They are sorted by slot, so that the search recognizes equal results.
  ///
  /// - Parameter tree: the state after the run, in the encoding of a trace.
  mutating func changes(
    _ tree: [UInt8], _ canonical: (before: CanonicalState, after: CanonicalState)
  ) throws -> [explore_write] {
    recordDecidingReads()
    var changes: [explore_write] = []
    try tree.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      if !reader.isAtEnd { try meetTable(&reader, at: PlaceTable.root, depth: 0, &changes) }
    }
    for slot in 0..<SlotTable.Slot(slots.count) {
      let marks = marks(of: slot)
      if marks.contains(.met) { continue }
      if case .part = slots.subjects[Int(slot)] { continue }
      let isWritten = marks.contains(.written)
      let wasThere = content(of: slot) != .absent
      guard wasThere || isWrite(marks) else { continue }
      if !isWritten { try recordChange(ofSlot: slot) }
      changes.append(explore_write(slot: slot, value: try slots.number(of: .absent, in: slot)))
    }
    for part in canonical.before.parts(otherThanIn: canonical.after) {
      let slot = try slots.slot(of: .part(part), first: .absent)
      try recordChange(ofSlot: slot)
      let content = canonical.after[part].map { SlotTable.Content.part($0) } ?? .absent
      changes.append(explore_write(slot: slot, value: try slots.number(of: content, in: slot)))
    }
    // The tree may be built in another order; sorting makes the writes equal.
    return changes.sorted { ObservedRun.slot($0) < ObservedRun.slot($1) }
  }

  private static func slot(_ write: explore_write) -> UInt32 {
    write.slot & ~UInt32(EXPLORE_COPY)
  }

  private mutating func meetTable(
    _ reader: inout ValueReader, at place: PlaceTable.Number, depth: Int,
    _ changes: inout [explore_write]
  ) throws {
    guard depth <= ValueReader.deepest else { throw ValueReader.Malformed() }
    let kind = try reader.byte()
    _ = try StateForm.word(&reader)
    let count = Int(try StateForm.word(&reader))
    if kind == UInt8(ascii: "l") || kind == UInt8(ascii: "m") { slots.places.holdsAlike(place) }
    let before = content(of: .shape(place))
    // The shape is unchanged unless a key is new, or holds a table where it held none, or vice versa.
    var isSame = StateForm.kind(of: before) == kind && StateForm.count(of: before) == count
    let begin = reader
    for _ in 0..<count {
      guard let key = StateForm.key(try reader.value()) else { throw ValueReader.Malformed() }
      let inside = slots.places.number(of: key, in: place)
      let isTable = try StateForm.beginsTable(&reader)
      if isSame {
        let before = content(of: .place(inside))
        isSame = isTable ? before == .table : before != .table && before != .absent
      }
      if isTable {
        try meet(.place(inside), .table, &changes)
        try meetTable(&reader, at: inside, depth: depth + 1, &changes)
      } else {
        try meet(.place(inside), StateForm.content(of: try reader.value()), &changes)
      }
    }
    if isSame { return try meet(.shape(place), before, &changes) }
    var again = begin
    try meet(.shape(place), try StateForm.shape(kind, count, &again), &changes)
  }

  /// Returns true if the subject is a part of a table that the run has stored.
  private func isBelowWrite(_ subject: SlotTable.Subject) -> Bool {
    let table: PlaceTable.Number?
    switch subject {
    case .place(let place): table = slots.places.above(place)
    case .shape(let place): table = place
    case .part: table = nil
    }
    guard let table, let slot = slots.find(.place(table)) else { return false }
    return marks(of: slot).contains(.written)
  }

  /// Compares the content of a slot after the run with the content before it.
  private mutating func meet(
    _ subject: SlotTable.Subject, _ content: SlotTable.Content, _ changes: inout [explore_write]
  ) throws(ExplorationError) {
    let slot = try slots.slot(of: subject, first: .absent)
    // The slot may not have existed when the table was stored.
    if isBelowWrite(subject) { mark(slot, .written) }
    let marks = marks(of: slot)
    mark(slot, .met)
    if !moved.isEmpty, case .place(let place) = subject, content != .table,
      let source = origin(of: place, to: slot)
    {
      if self.content(of: source) == content {
        if source == slot { return }
        changes.append(explore_write(slot: slot | UInt32(EXPLORE_COPY), value: source))
        return
      }
      try recordChange(ofSlot: source)
    }
    if self.content(of: slot) == content {
      guard isWrite(marks) else { return }
      changes.append(explore_write(slot: slot, value: value(of: slot)))
      return
    }
    if !marks.contains(.written) { try recordChange(ofSlot: slot) }
    changes.append(explore_write(slot: slot, value: try slots.number(of: content, in: slot)))
  }
}
