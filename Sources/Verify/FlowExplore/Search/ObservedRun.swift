import CExplore
import FlowKernel
import LuaRuntime

/// The result of a traced run: the slots that decided its outcome, in the order in which they were read, and its
/// writes.
///
/// Over-reporting reads is safe: it only splits a decision further. Under-reporting is not.
struct ObservedRun {
  /// The slots that were read, with their values, and the outcomes of chance.
  private(set) var reads: [explore_read] = []

  /// All reads, including repeated ones, each with a key that determines the rest of the run; empty without
  /// continuations.
  private(set) var keyed: [explore_keyed_read] = []
  let reportsContinuations: Bool
  /// The key of the next read; nil without continuations, and if the run has done something that no key includes.
  private(set) var continuation: ReadContinuation?
  /// The slots whose values decide which slots the run writes; the keys of its last reads need not include them.
  private var deciding: [SlotTable.Slot] = []

  let slots: SlotTable
  /// The slot values of the state before the run.
  private let values: StateSearch.Values
  /// The places of the tables that the trace numbers.
  private let tables: [PlaceTable.Number]
  private var marks: [Marks] = []
  /// The lists whose elements have moved: the original index of each present element, from 1 on, or 0 for a new one.
  var moved: [PlaceTable.Number: [Int]] = [:]

  struct Marks: OptionSet {
    let rawValue: UInt8
    static let looked = Marks(rawValue: 1)
    /// The slot was written, or is below a place that was written.
    static let written = Marks(rawValue: 2)
    /// The slot itself was written.
    ///
    /// A table that was removed still has its former content, and reading it yields new information.
    static let replaced = Marks(rawValue: 4)
    /// The slot exists after the run, or was handled.
    static let met = Marks(rawValue: 8)
  }

  /// Creates an empty run that begins in a state.
  ///
  /// - Parameters:
  ///   - tables: the places of the tables that the trace numbers, from `StateForm.tables(in:_:)`.
  ///   - reportsContinuations: true if the trace reports continuations.
  init(
    _ values: StateSearch.Values, tables: [PlaceTable.Number], _ slots: SlotTable,
    reportsContinuations: Bool = false
  ) {
    self.reportsContinuations = reportsContinuations
    if reportsContinuations { continuation = ReadContinuation() }
    (self.values, self.tables, self.slots) = (values, tables, slots)
    marks = [Marks](repeating: [], count: slots.count + 8)
  }

  // MARK: Slots

  func marks(of slot: SlotTable.Slot) -> Marks {
    Int(slot) < marks.count ? marks[Int(slot)] : []
  }

  mutating func mark(_ slot: SlotTable.Slot, _ more: Marks) {
    while marks.count <= Int(slot) { marks.append([]) }
    marks[Int(slot)].formUnion(more)
  }

  func value(of slot: SlotTable.Slot) -> UInt32 {
    Int(slot) < values.count ? values[Int(slot)] : 0
  }

  /// Returns the content of a slot before the run.
  func content(of slot: SlotTable.Slot) -> SlotTable.Content {
    slots.content(value(of: slot), in: slot)
  }

  func content(of subject: SlotTable.Subject) -> SlotTable.Content {
    slots.find(subject).map { content(of: $0) } ?? .absent
  }

  // MARK: Reading

  mutating func recordRead(of subject: SlotTable.Subject) throws(ExplorationError) {
    try recordRead(ofSlot: try slots.slot(of: subject, first: .absent))
  }

  mutating func recordRead(ofSlot slot: SlotTable.Slot) throws(ExplorationError) {
    if marks(of: slot).contains(.replaced) { return }
    recordKeyedRead(ofSlot: slot)
    if marks(of: slot).contains(.looked) { return }
    mark(slot, .looked)
    reads.append(explore_read(slot: slot, value: value(of: slot)))
  }

  private mutating func recordKeyedRead(ofSlot slot: SlotTable.Slot) {
    let value = value(of: slot)
    if let read = continuation?.read(slot, value) { keyed.append(read) }
  }

  /// Records a read that decides which slots the run writes, or with what value.
  mutating func recordDecidingRead(of subject: SlotTable.Subject) throws(ExplorationError) {
    let slot = try slots.slot(of: subject, first: .absent)
    try recordRead(ofSlot: slot)
    if continuation != nil { deciding.append(slot) }
  }

  /// Records the reads that decide about writes once more, after all others.
  mutating func recordDecidingReads() {
    for slot in deciding { recordKeyedRead(ofSlot: slot) }
    deciding = []
  }

  /// Records a read of a slot that has changed although the run did not write to it.
  mutating func recordChange(ofSlot slot: SlotTable.Slot) throws(ExplorationError) {
    try recordRead(ofSlot: slot)
    recordKeyedRead(ofSlot: slot)
  }

  /// Makes the search learn the run by its path alone.
  mutating func dropContinuation() { (continuation, keyed, deciding) = (nil, [], []) }

  /// Returns true if a slot that has its former content belongs to the writes of the run.
  ///
  /// A path that has read the slot implies that content. A continuation may be shared by runs that found another one.
  func isWrite(_ marks: Marks) -> Bool {
    marks.contains(.written) && (continuation != nil || !marks.contains(.looked))
  }

  func keys(at place: PlaceTable.Number) -> [StatePath.Key] {
    switch content(of: .shape(place)) {
    case .list(let count, _): (0..<count).map { .index($0 + 1) }
    case .keyed(_, let keys, _): keys
    default: []
    }
  }

  private mutating func lookAtWhole(_ place: PlaceTable.Number) throws(ExplorationError) {
    try recordRead(of: .shape(place))
    for key in keys(at: place) {
      if let inside = slots.places.find(key, in: place) { try recordRead(of: .place(inside)) }
    }
  }

  mutating func lookDeep(_ place: PlaceTable.Number) throws(ExplorationError) {
    try lookAtWhole(place)
    for key in keys(at: place) {
      guard let inside = slots.places.find(key, in: place) else { continue }
      if content(of: .place(inside)) == .table { try lookDeep(inside) }
    }
  }

  /// Records a read of whether a place was present, which decides what a write to it changes.
  ///
  /// For a record, the shape shows it; for a list or a map, the element itself does.
  private mutating func lookAtPresence(of place: PlaceTable.Number) throws(ExplorationError) {
    guard let above = slots.places.above(place) else { return }
    if case .keyed(kind: UInt8(ascii: "r"), _, _) = content(of: .shape(above)) {
      try recordDecidingRead(of: .shape(above))
    } else {
      try recordDecidingRead(of: .place(place))
    }
  }

  /// Records reads of the shapes below a place that is removed: they decide which slots become empty.
  private mutating func lookAtShapes(below place: PlaceTable.Number) throws(ExplorationError) {
    try recordDecidingRead(of: .place(place))
    if content(of: .place(place)) == .table { try lookAtShapesOfTable(place) }
  }

  private mutating func lookAtShapesOfTable(_ place: PlaceTable.Number) throws(ExplorationError) {
    try recordDecidingRead(of: .shape(place))
    for key in keys(at: place) {
      guard let inside = slots.places.find(key, in: place) else { continue }
      if content(of: .place(inside)) == .table { try lookAtShapesOfTable(inside) }
    }
  }

  /// Records reads of the fields that contain the configuration of a machine's record.
  mutating func recordRead(of record: ExploredRun.RecordLook) throws(ExplorationError) {
    var place = PlaceTable.root
    for key in record.path.compactMap(StateForm.key) {
      place = slots.places.number(of: key, in: place)
      try recordRead(of: .place(place))
    }
    for field in record.fields {
      try recordRead(of: .place(slots.places.number(of: .field(field), in: place)))
    }
  }

  // MARK: Writing

  private mutating func write(_ place: PlaceTable.Number, _ marks: Marks) throws(ExplorationError) {
    mark(try slots.slot(of: .place(place), first: .absent), marks)
  }

  /// Records that the element at a place of a list was replaced or removed.
  mutating func writeElement(_ place: PlaceTable.Number) throws(ExplorationError) {
    write(below: place)
    try write(place, .written)
  }

  mutating func write(below place: PlaceTable.Number) {
    for subject in [SlotTable.Subject.place(place), .shape(place)] {
      if let slot = slots.find(subject) { mark(slot, .written) }
    }
    for inside in slots.places.below(place) { write(below: inside) }
  }

  // MARK: Events

  /// Records the events of a trace, and the notes of its run, from a byte offset on.
  mutating func take(
    _ trace: TracedRun, _ notes: [ExploredRun.Note], from offset: Int = 0
  ) throws {
    var notes = notes[...]
    while let note = notes.first, note.offset < offset { notes.removeFirst() }
    try trace.events.withUnsafeBytes { bytes in
      var reader = ValueReader(UnsafeRawBufferPointer(rebasing: bytes[min(offset, bytes.count)...]))
      while !reader.isAtEnd {
        while let note = notes.first, note.offset <= reader.offset + offset {
          try take(note)
          notes.removeFirst()
        }
        guard let event = TracedRun.Event(rawValue: try reader.byte()) else {
          throw ValueReader.Malformed()
        }
        let number = Int(try StateForm.word(&reader))
        if event == .continuation {
          try takeContinuation(isKnown: number != 0, &reader)
          continue
        }
        guard tables.indices.contains(number) else { throw ValueReader.Malformed() }
        try take(event, tables[number], &reader)
      }
    }
    for note in notes { try take(note) }
    if !trace.isWhole { try lookDeep(PlaceTable.root) }
  }

  private mutating func takeContinuation(
    isKnown: Bool, _ reader: inout ValueReader
  ) throws {
    let cost = try StateForm.word(&reader)
    let run = try StateForm.word(&reader)
    func word() throws -> UInt64 {
      try UInt64(StateForm.word(&reader)) | UInt64(StateForm.word(&reader)) << 32
    }
    let key = explore_key(first: try word(), second: try word())
    continuation?.resume(after: cost, in: run, key: isKnown ? key : nil)
  }

  private mutating func take(_ note: ExploredRun.Note) throws {
    switch note.what {
    case .draw(let count, let outcome, _):
      dropContinuation()
      reads.append(
        explore_read(slot: UInt32(EXPLORE_DRAW) | UInt32(count), value: UInt32(outcome)))
    case .part(let part): try recordRead(of: .part(part))
    }
  }

  private mutating func take(
    _ event: TracedRun.Event, _ table: PlaceTable.Number, _ reader: inout ValueReader
  ) throws {
    switch event {
    case .whole: return try lookAtWhole(table)
    case .deep: return try lookDeep(table)
    case .shape: return try recordRead(of: .shape(table))
    case .records: return try lookDeep(PlaceTable.root)
    case .read, .write, .put, .insert, .remove, .continuation: break
    }
    guard let key = StateForm.key(try reader.value()) else { throw ValueReader.Malformed() }
    switch event {
    case .insert: return try splice(table, key, inserts: true)
    case .remove: return try splice(table, key, inserts: false)
    default: break
    }
    guard moved[table] == nil else { return try take(event, moved: table, key) }
    let place = slots.places.number(of: key, in: table)
    switch event {
    case .read: try recordRead(of: .place(place))
    case .write:
      try lookAtPresence(of: place)
      try write(place, [.written, .replaced])
    default:
      try lookAtShapes(below: place)
      write(below: place)
      try write(place, [.written, .replaced])
    }
  }
}
