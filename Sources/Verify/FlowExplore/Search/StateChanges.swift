import CExplore
import FlowKernel
import LuaRuntime
import Platform

/// The changes of a move, found by comparing the encoded states before and after it.
///
/// Values at equal places are compared byte by byte. A table is decoded completely only if its keys differ.
struct StateChanges {
  private(set) var writes: [explore_write] = []
  private let slots: SlotTable
  private let values: StateSearch.Values

  /// Compares two states; the caller must hold the session's lock.
  ///
  /// - Parameter values: the slot values of the state before the move.
  init(
    of values: StateSearch.Values, _ slots: SlotTable, from before: [UInt8], to after: [UInt8]
  ) throws {
    (self.values, self.slots) = (values, slots)
    if before == after { return }
    try before.withUnsafeBytes { before in
      try after.withUnsafeBytes { after in
        var (one, other) = (ValueReader(before), ValueReader(after))
        try compare(&one, &other, at: PlaceTable.root, depth: 0)
      }
    }
  }

  /// Adds the differences besides the tree.
  mutating func add(from before: CanonicalState, to after: CanonicalState) throws(ExplorationError)
  {
    for part in before.parts(otherThanIn: after) {
      try write(.part(part), after[part].map { .part($0) } ?? .absent)
    }
  }

  private mutating func write(
    _ subject: SlotTable.Subject, _ content: SlotTable.Content
  ) throws(ExplorationError) {
    let slot = try slots.slot(of: subject, first: .absent)
    let number = try slots.number(of: content, in: slot)
    if Int(slot) < values.count ? values[Int(slot)] == number : number == 0 { return }
    writes.append(explore_write(slot: slot, value: number))
  }

  // MARK: Comparing

  /// Compares the next table of both states.
  private mutating func compare(
    _ before: inout ValueReader, _ after: inout ValueReader, at place: PlaceTable.Number, depth: Int
  ) throws {
    guard depth <= ValueReader.deepest else { throw ValueReader.Malformed() }
    let (begin, count) = ((before: before, after: after), writes.count)
    if try compareInside(&before, &after, at: place, depth) { return }
    writes.removeLast(writes.count - count)
    (before, after) = begin
    let was = try TableContents(&before, at: place, slots)
    let is_ = try TableContents(&after, at: place, slots)
    let left = Set(is_.contents.map(\.subject))
    for (subject, content) in is_.contents { try write(subject, content) }
    for (subject, _) in was.contents where !left.contains(subject) { try write(subject, .absent) }
  }

  private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer)
    -> Bool
  {
    guard let first = one.baseAddress, let second = other.baseAddress else { return false }
    return memcmp(first, second, one.count) == 0
  }

  /// Compares the values in two tables; returns false if their keys differ, or only one of two values is a table.
  private mutating func compareInside(
    _ before: inout ValueReader, _ after: inout ValueReader, at place: PlaceTable.Number,
    _ depth: Int
  ) throws -> Bool {
    let tag = try before.byte()
    guard try after.byte() == tag else { return false }
    if tag == ValueTag.empty.rawValue { return true }
    let count = try before.readLength()
    guard try after.readLength() == count else { return false }
    for index in 0..<count {
      let key = try TableKey(&before, of: tag, at: index)
      guard try TableKey(&after, of: tag, at: index) == key,
        try TableKey.beginsTable(before) == TableKey.beginsTable(after)
      else { return false }
      let begin = (before: before, after: after)
      let (old, new) = (try before.skip(), try after.skip())
      if old.count == new.count, old.isEmpty || StateChanges.areEqual(old, new) { continue }
      let inside = slots.places.number(of: key.key, in: place)
      if try TableKey.beginsTable(begin.before) {
        var (old, new) = begin
        try compare(&old, &new, at: inside, depth: depth + 1)
      } else {
        var new = begin.after
        try write(.place(inside), StateForm.content(of: try new.value()))
      }
    }
    return true
  }
}

/// A key of a table in the encoding of the VM.
private struct TableKey: Equatable {
  private let index: Int
  private let name: UnsafeRawBufferPointer?

  /// Reads the next key.
  ///
  /// - Parameter tag: the tag of the table.
  init(_ reader: inout ValueReader, of tag: UInt8, at index: Int) throws {
    switch tag {
    case ValueTag.list.rawValue: (self.index, name) = (index + 1, nil)
    case ValueTag.map.rawValue:
      (self.index, name) = (Int(Int64(bitPattern: try reader.readWord())), nil)
    case ValueTag.record.rawValue, ValueTag.open.rawValue:
      (self.index, name) = (0, try reader.slice())
    default: throw ValueReader.Malformed()
    }
  }

  static func == (one: TableKey, other: TableKey) -> Bool {
    guard let name = one.name, let others = other.name else { return one.index == other.index }
    return name.elementsEqual(others)
  }

  var key: StatePath.Key {
    name.map { .field(String(decoding: $0, as: UTF8.self)) } ?? .index(index)
  }

  /// Returns true if the next value is a table.
  static func beginsTable(_ reader: ValueReader) throws -> Bool {
    switch ValueTag(rawValue: try reader.peek()) {
    case .list, .record, .map, .empty, .open: true
    default: false
    }
  }
}

/// The complete content of a table in the encoding of the VM.
private struct TableContents {
  private(set) var contents: [(subject: SlotTable.Subject, content: SlotTable.Content)] = []

  init(_ reader: inout ValueReader, at place: PlaceTable.Number, _ slots: SlotTable) throws {
    try read(&reader, at: place, slots, depth: 0)
  }

  private mutating func read(
    _ reader: inout ValueReader, at place: PlaceTable.Number, _ slots: SlotTable, depth: Int
  ) throws {
    guard depth <= ValueReader.deepest else { throw ValueReader.Malformed() }
    let tag = try reader.byte()
    let count = tag == ValueTag.empty.rawValue ? 0 : try reader.readLength()
    let kind: UInt8 =
      switch ValueTag(rawValue: tag) {
      case .list: UInt8(ascii: "l")
      case .record: UInt8(ascii: "r")
      case .map, .open: UInt8(ascii: "m")
      case .empty: UInt8(ascii: "e")
      default: throw ValueReader.Malformed()
      }
    if kind == UInt8(ascii: "l") || kind == UInt8(ascii: "m") { slots.places.holdsAlike(place) }
    var (keys, tables): ([StatePath.Key], [StatePath.Key]) = ([], [])
    for index in 0..<count {
      let key = try TableKey(&reader, of: tag, at: index).key
      let inside = slots.places.number(of: key, in: place)
      keys.append(key)
      guard try TableKey.beginsTable(reader) else {
        contents.append((.place(inside), StateForm.content(of: try reader.value())))
        continue
      }
      tables.append(key)
      contents.append((.place(inside), .table))
      try read(&reader, at: inside, slots, depth: depth + 1)
    }
    contents.append((.shape(place), StateForm.shape(kind, keys, tables: tables)))
  }
}
