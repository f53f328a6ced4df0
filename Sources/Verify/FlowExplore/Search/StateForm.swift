import FlowKernel
import LuaRuntime

/// A state in the encoding of a trace (`TracedRun`): it is read into slots, and written from them.
struct StateForm {
  /// The contents by subject; a subject without an entry is absent.
  typealias Contents = [SlotTable.Subject: SlotTable.Content]

  private(set) var contents: Contents = [:]

  /// Reads an encoded state.
  init(reading bytes: [UInt8], _ places: inout PlaceTable) throws(ExplorationError) {
    try StateForm.read(bytes) { reader throws in
      if !reader.isAtEnd { try readTable(&reader, at: PlaceTable.root, &places, depth: 0) }
    }
  }

  private static func read(
    _ bytes: [UInt8], _ body: (inout ValueReader) throws -> Void
  ) throws(ExplorationError) {
    do {
      try bytes.withUnsafeBytes { bytes in
        var reader = ValueReader(bytes)
        try body(&reader)
      }
    } catch {
      throw ExplorationError(.difference, "internal error: please report it (\(error))")
    }
  }

  private mutating func readTable(
    _ reader: inout ValueReader, at place: PlaceTable.Number, _ places: inout PlaceTable, depth: Int
  ) throws {
    guard depth <= ValueReader.deepest else { throw ValueReader.Malformed() }
    let kind = try reader.byte()
    _ = try StateForm.word(&reader)
    let count = Int(try StateForm.word(&reader))
    if kind == UInt8(ascii: "l") || kind == UInt8(ascii: "m") { places.holdsAlike(place) }
    var again = reader
    for _ in 0..<count {
      guard let key = StateForm.key(try reader.value()) else { throw ValueReader.Malformed() }
      let inside = places.number(of: key, in: place)
      guard try StateForm.beginsTable(&reader) else {
        contents[.place(inside)] = StateForm.content(of: try reader.value())
        continue
      }
      contents[.place(inside)] = .table
      try readTable(&reader, at: inside, &places, depth: depth + 1)
    }
    contents[.shape(place)] = try StateForm.shape(kind, count, &again)
  }

  /// Returns the places of the tables by their numbers in a trace, which begin at 1.
  static func tables(
    in bytes: [UInt8], _ places: inout PlaceTable
  ) throws(ExplorationError) -> [PlaceTable.Number] {
    var tables = [PlaceTable.root]
    func find(_ reader: inout ValueReader, _ place: PlaceTable.Number, _ depth: Int) throws {
      guard depth <= ValueReader.deepest else { throw ValueReader.Malformed() }
      let kind = try reader.byte()
      let number = Int(try word(&reader))
      if number > 0 {
        while tables.count <= number { tables.append(PlaceTable.root) }
        tables[number] = place
      }
      if kind == UInt8(ascii: "l") || kind == UInt8(ascii: "m") { places.holdsAlike(place) }
      for _ in 0..<(try word(&reader)) {
        guard let key = key(try reader.value()) else { throw ValueReader.Malformed() }
        if try beginsTable(&reader) {
          try find(&reader, places.number(of: key, in: place), depth + 1)
        } else {
          _ = try reader.value()
        }
      }
    }
    try read(bytes) { reader throws in
      if !reader.isAtEnd { try find(&reader, PlaceTable.root, 0) }
    }
    return tables
  }

  /// Returns the shape of a table, from a reader that is at the first of `count` keys and values.
  static func shape(
    _ kind: UInt8, _ count: Int, _ reader: inout ValueReader
  ) throws -> SlotTable.Content {
    var keys: [StatePath.Key] = []
    var tables: [StatePath.Key] = []
    for _ in 0..<count {
      guard let key = StateForm.key(try reader.value()) else { throw ValueReader.Malformed() }
      keys.append(key)
      if try beginsTable(&reader) {
        tables.append(key)
        try skipTable(&reader, depth: 0)
      } else {
        _ = try reader.value()
      }
    }
    return shape(kind, keys, tables: tables)
  }

  /// Returns the shape of a table with these keys, some of which have tables as values.
  static func shape(
    _ kind: UInt8, _ keys: [StatePath.Key], tables: [StatePath.Key]
  ) -> SlotTable.Content {
    kind == UInt8(ascii: "l")
      ? .list(keys.count, tables: StateForm.tables(tables, of: keys.count))
      : .keyed(
        kind: kind, keys.sorted(by: StateForm.isBefore),
        tables: tables.sorted(by: StateForm.isBefore))
  }

  private static func skipTable(_ reader: inout ValueReader, depth: Int) throws {
    guard depth <= ValueReader.deepest else { throw ValueReader.Malformed() }
    _ = try reader.byte()
    _ = try word(&reader)
    for _ in 0..<(try word(&reader)) {
      _ = try reader.value()
      if try beginsTable(&reader) {
        try skipTable(&reader, depth: depth + 1)
      } else {
        _ = try reader.value()
      }
    }
  }

  /// Returns the letter of a table's shape, nil for any other content; `count(of:)` returns the number of its keys.
  static func kind(of shape: SlotTable.Content) -> UInt8? {
    switch shape {
    case .list: UInt8(ascii: "l")
    case .keyed(let kind, _, _): kind
    default: nil
    }
  }

  static func count(of shape: SlotTable.Content) -> Int {
    switch shape {
    case .list(let count, _): count
    case .keyed(_, let keys, _): keys.count
    default: 0
    }
  }

  private static func tables(_ tables: [StatePath.Key], of count: Int) -> SlotTable.Tables {
    if tables.isEmpty { return .none }
    if tables.count == count { return .all }
    return .some(
      tables.compactMap { if case .index(let index) = $0 { index } else { nil } }.sorted())
  }

  /// Returns true if the next value is a table: its letter is not the tag of a value.
  static func beginsTable(_ reader: inout ValueReader) throws -> Bool {
    try reader.peek() >= UInt8(ascii: "a")
  }

  static func word(_ reader: inout ValueReader) throws -> UInt32 {
    var word: UInt32 = 0
    for shift in 0..<4 { word |= UInt32(try reader.byte()) << UInt32(8 * shift) }
    return word
  }

  static func key(_ value: Value) -> StatePath.Key? {
    switch value {
    case .string(let name): .field(name)
    case .integer(let index): .index(index)
    default: nil
    }
  }

  static func content(of value: Value) -> SlotTable.Content {
    switch value {
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .number(let value): .number(value.bitPattern)
    case .string(let value): .text(ExactText(value))
    default: .absent
    }
  }

  /// Returns true if a key comes before another one in the encoding: by number, or byte by byte.
  static func isBefore(_ one: StatePath.Key, _ other: StatePath.Key) -> Bool {
    switch (one, other) {
    case (.index(let one), .index(let other)): one < other
    case (.index, .field): true
    case (.field, .index): false
    case (.field(let one), .field(let other)):
      one.utf8.lexicographicallyPrecedes(other.utf8)
    }
  }

  // MARK: Writing

  /// Returns the tree of a state in the encoding of the VM.
  ///
  /// - Parameter content: returns the content of a subject.
  static func tree(
    _ places: PlaceTable, _ content: (SlotTable.Subject) -> SlotTable.Content
  ) -> [UInt8] {
    var writer = ValueWriter()
    write(PlaceTable.root, places, content, &writer)
    return writer.bytes
  }

  private static func write(
    _ place: PlaceTable.Number, _ places: PlaceTable,
    _ content: (SlotTable.Subject) -> SlotTable.Content, _ writer: inout ValueWriter
  ) {
    func writeInside(_ key: StatePath.Key) {
      guard let inside = places.find(key, in: place) else { return writer.write(.nil) }
      switch content(.place(inside)) {
      case .table: write(inside, places, content, &writer)
      case let other: writer.write(value(of: other))
      }
    }
    switch content(.shape(place)) {
    case .list(let count, _):
      writer.writeByte(ValueTag.list.rawValue)
      writer.writeCount(count)
      for index in 0..<count { writeInside(.index(index + 1)) }
    case .keyed(kind: UInt8(ascii: "e"), _, _): writer.writeByte(ValueTag.empty.rawValue)
    case .keyed(let kind, let keys, _):
      let isOpen = kind == UInt8(ascii: "m")
      if case .index? = keys.first {
        writer.writeByte(ValueTag.map.rawValue)
      } else {
        writer.writeByte(isOpen ? ValueTag.open.rawValue : ValueTag.record.rawValue)
      }
      writer.writeCount(keys.count)
      for key in keys {
        switch key {
        case .field(let name): writer.writeText(name)
        case .index(let index): writer.writeWord(UInt64(bitPattern: Int64(index)))
        }
        writeInside(key)
      }
    default: writer.writeByte(ValueTag.empty.rawValue)
    }
  }

  static func value(of content: SlotTable.Content) -> Value {
    switch content {
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .number(let bits): .number(Double(bitPattern: bits))
    case .text(let text): .string(text.text)
    default: .nil
    }
  }

  /// Returns the tree as a value, for people.
  static func value(
    _ places: PlaceTable, _ content: (SlotTable.Subject) -> SlotTable.Content
  ) -> Value {
    decoded(tree(places, content))
  }

  static func decoded(_ tree: [UInt8]) -> Value {
    tree.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return (try? reader.value()) ?? [:]
    }
  }
}
