import LuaRuntime
import Moonlatch

/// What a traced run teaches: on which slots its outcome depended, in the order in which they were looked at, and what
/// it wrote.
///
/// More may be said to have been looked at than was, never less: then more is learned than there is to learn, and what
/// was learned is true.
struct Lesson {
  enum Look: Hashable {
    case subject(SlotTable.Subject)
    /// A draw of chance, among so many outcomes.
    case draw(among: Int, gave: Int)
  }

  private(set) var looks: [Look] = []
  private var known: Set<SlotTable.Subject> = []
  /// What was written, with all that stood below it.
  private(set) var written: Set<SlotTable.Subject> = []
  /// What was written itself.
  ///
  /// A table that was taken out is what it was before, and to read it tells something new.
  private var replaced: Set<SlotTable.Subject> = []

  private let before: StateForm
  private let after: StateForm.Contents
  private let places: PlaceTable

  /// What a run on a state has to teach.
  init(
    _ trace: TracedRun, _ notes: [ExploredRun.Note], before: StateForm, after: StateForm,
    first: [SlotTable.Subject], _ places: inout PlaceTable
  ) throws(ExplorationError) {
    self.before = before
    self.after = after.contents
    do {
      let events = try Lesson.events(of: trace, notes, before.tables, &places)
      self.places = places
      for subject in first { look(at: subject) }
      for event in events { take(event) }
    } catch {
      throw ExplorationError(.difference, "\(error)")
    }
  }

  // MARK: Events

  private enum Event {
    case read(PlaceTable.Number)
    case write(PlaceTable.Number)
    case put(PlaceTable.Number)
    case whole(PlaceTable.Number)
    case deep(PlaceTable.Number)
    case shape(PlaceTable.Number)
    case records
    case draw(among: Int, gave: Int)
    case part(ExploredLedger.Part)
  }

  private static func events(
    of trace: TracedRun, _ notes: [ExploredRun.Note], _ tables: [PlaceTable.Number],
    _ places: inout PlaceTable
  ) throws -> [Event] {
    var events: [Event] = []
    var notes = notes[...]
    try trace.events.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      while !reader.isAtEnd {
        while let note = notes.first, note.offset <= reader.offset {
          events.append(event(of: notes.removeFirst()))
        }
        let kind = try reader.byte()
        var number = 0
        for shift in 0..<4 { number |= Int(try reader.byte()) << (8 * shift) }
        guard tables.indices.contains(number) else { throw ValueReader.Malformed() }
        let table = tables[number]
        func inside() throws -> PlaceTable.Number {
          guard let key = StateForm.key(try reader.value()) else { throw ValueReader.Malformed() }
          return places.number(of: key, in: table)
        }
        switch TracedRun.Event(rawValue: kind) {
        case .read: events.append(.read(try inside()))
        case .write: events.append(.write(try inside()))
        case .put: events.append(.put(try inside()))
        case .whole: events.append(.whole(table))
        case .deep: events.append(.deep(table))
        case .shape: events.append(.shape(table))
        case .records: events.append(.records)
        case nil: throw ValueReader.Malformed()
        }
      }
    }
    events += notes.map(event)
    return events
  }

  private static func event(of note: ExploredRun.Note) -> Event {
    switch note.what {
    case .draw(let count, let outcome, _): .draw(among: count, gave: outcome)
    case .part(let part): .part(part)
    }
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .read(let place): look(at: .place(place))
    case .write(let place):
      lookAtPresence(of: place)
      written.insert(.place(place))
      replaced.insert(.place(place))
    case .put(let place):
      lookAtShapes(below: place)
      write(below: place)
      replaced.insert(.place(place))
    case .whole(let place): lookAtWhole(place)
    case .deep(let place): lookDeep(place)
    case .shape(let place): look(at: .shape(place))
    case .records: lookDeep(PlaceTable.root)
    case .draw(let count, let outcome): looks.append(.draw(among: count, gave: outcome))
    case .part(let part): look(at: .part(part))
    }
  }

  // MARK: Looking

  mutating func look(at subject: SlotTable.Subject) {
    guard !replaced.contains(subject), known.insert(subject).inserted else { return }
    looks.append(.subject(subject))
  }

  private func keys(at place: PlaceTable.Number) -> [StatePath.Key] {
    switch before.contents[.shape(place)] {
    case .list(let count, _)?: (0..<count).map { .index($0 + 1) }
    case .keyed(_, let keys, _)?: keys
    default: []
    }
  }

  /// What a write changes depends on whether there was anything before: for a record that says which fields it has, in
  /// a list or a map it shows in the element itself.
  private mutating func lookAtPresence(of place: PlaceTable.Number) {
    guard let above = places.above(place) else { return }
    if case .keyed(kind: UInt8(ascii: "r"), _, _)? = before.contents[.shape(above)] {
      look(at: .shape(above))
    } else {
      look(at: .place(place))
    }
  }

  private mutating func lookAtWhole(_ place: PlaceTable.Number) {
    look(at: .shape(place))
    for key in keys(at: place) {
      if let inside = places.find(key, in: place) { look(at: .place(inside)) }
    }
  }

  mutating func lookDeep(_ place: PlaceTable.Number) {
    lookAtWhole(place)
    for key in keys(at: place) {
      guard let inside = places.find(key, in: place) else { continue }
      if before.contents[.place(inside)] == .table { lookDeep(inside) }
    }
  }

  /// What stood at a place goes: which slots that empties follows from the shapes of the tables in it.
  private mutating func lookAtShapes(below place: PlaceTable.Number) {
    look(at: .place(place))
    guard before.contents[.place(place)] == .table else { return }
    lookAtShapesOfTable(place)
  }

  private mutating func lookAtShapesOfTable(_ place: PlaceTable.Number) {
    look(at: .shape(place))
    for key in keys(at: place) {
      guard let inside = places.find(key, in: place) else { continue }
      if before.contents[.place(inside)] == .table { lookAtShapesOfTable(inside) }
    }
  }

  private mutating func write(below place: PlaceTable.Number) {
    written.insert(.place(place))
    written.insert(.shape(place))
    for inside in places.below[place] { write(below: inside) }
  }

  // MARK: What comes of it

  /// What stands in the slots that were written or are otherwise than before; a slot that has changed without a word
  /// is one more that was looked at.
  mutating func changes(
    _ ledger: (before: ExploredLedger, after: ExploredLedger)
  ) -> [(subject: SlotTable.Subject, content: SlotTable.Content)] {
    var changes: [SlotTable.Subject: SlotTable.Content] = [:]
    for subject in written {
      let content = after[subject] ?? .absent
      if content != before.contents[subject] ?? .absent || !known.contains(subject) {
        changes[subject] = content
      }
    }
    for (subject, content) in after where before.contents[subject] != content {
      if changes[subject] == nil { look(at: subject) }
      changes[subject] = content
    }
    for subject in before.contents.keys where after[subject] == nil {
      if changes[subject] == nil { look(at: subject) }
      changes[subject] = .absent
    }
    let parts = Set(ledger.before.parts.keys).union(ledger.after.parts.keys)
    for part in parts where ledger.before[part] != ledger.after[part] {
      look(at: .part(part))
      changes[.part(part)] = ledger.after[part].map { .part($0) } ?? .absent
    }
    return changes.map { (subject: $0.key, content: $0.value) }
  }
}
