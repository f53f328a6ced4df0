import FlowKernel
import LuaRuntime

/// The encoding of the slot table in a checkpoint.
extension SlotTable {
  func write(to writer: inout ValueWriter) {
    places.write(to: &writer)
    writer.writeCount(domains.count)
    for domain in domains {
      writer.writeCount(Int(domain.number))
      writer.writeCount(domain.values.count)
      for content in domain.values { content.write(to: &writer) }
    }
    writer.writeCount(subjects.count)
    for (subject, domain) in zip(subjects, domainOf) {
      subject.write(to: &writer)
      writer.writeCount(domain)
    }
    writer.writeCount(shared.count)
    for (name, domain) in shared.sorted(by: { $0.key < $1.key }) {
      writer.writeText(name)
      writer.writeCount(domain)
    }
    writer.writeByte(hasStates ? 1 : 0)
    writer.writeCount(alike.found.count)
    for found in alike.found.sorted(by: { ($0.list, $0.pattern) < ($1.list, $1.pattern) }) {
      writer.writeCount(found.list)
      writer.writeText(found.pattern)
    }
  }

  /// Reads the encoding of `write(to:)` into an empty table.
  func read(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    places = try PlaceTable(from: &reader)
    for _ in 0..<(try reader.readLength()) {
      guard let number = UInt32(exactly: try reader.readCount()) else {
        throw ValueReader.Malformed()
      }
      var values: [Content] = []
      for _ in 0..<(try reader.readLength()) { values.append(try Content(from: &reader)) }
      guard let first = values.first else { throw ValueReader.Malformed() }
      var domain = Domain(number: number, first: first)
      for value in values.dropFirst() { domain.add(value) }
      domains.append(domain)
    }
    for _ in 0..<(try reader.readLength()) {
      let subject = try Subject(from: &reader, places)
      let domain = try reader.readCount()
      guard domains.indices.contains(domain) else { throw ValueReader.Malformed() }
      add(subject, domain)
    }
    for _ in 0..<(try reader.readLength()) {
      let name = try reader.readText()
      let domain = try reader.readCount()
      guard domains.indices.contains(domain) else { throw ValueReader.Malformed() }
      shared[name] = domain
    }
    hasStates = try reader.byte() == 1
    for _ in 0..<(try reader.readLength()) {
      alike.found.insert(
        SymmetryTable.Found(list: try reader.readCount(), pattern: try reader.readText()))
    }
  }
}

extension SlotTable.Subject {
  fileprivate func write(to writer: inout ValueWriter) {
    switch self {
    case .place(let place):
      writer.writeByte(0)
      writer.writeCount(place)
    case .shape(let place):
      writer.writeByte(1)
      writer.writeCount(place)
    case .part(let part):
      writer.writeByte(2)
      part.write(to: &writer)
    }
  }

  fileprivate init(
    from reader: inout ValueReader, _ places: PlaceTable
  ) throws(ValueReader.Malformed) {
    func place() throws(ValueReader.Malformed) -> PlaceTable.Number {
      let place = try reader.readCount()
      guard (0..<places.count).contains(place) else { throw ValueReader.Malformed() }
      return place
    }
    switch try reader.byte() {
    case 0: self = .place(try place())
    case 1: self = .shape(try place())
    case 2: self = .part(try CanonicalState.Part(from: &reader))
    default: throw ValueReader.Malformed()
    }
  }
}

extension SlotTable.Content {
  fileprivate func write(to writer: inout ValueWriter) {
    switch self {
    case .absent: writer.writeByte(0)
    case .table: writer.writeByte(1)
    case .boolean(let value): writer.writeByte(value ? 3 : 2)
    case .integer(let value):
      writer.writeByte(4)
      writer.writeInteger(value)
    case .number(let bits):
      writer.writeByte(5)
      writer.writeWord(bits)
    case .text(let text):
      writer.writeByte(6)
      writer.writeText(text.text)
    case .list(let count, .none):
      writer.writeByte(7)
      writer.writeCount(count)
    case .list(let count, .all):
      writer.writeByte(8)
      writer.writeCount(count)
    case .list(let count, .some(let places)):
      writer.writeByte(9)
      writer.writeCount(count)
      writer.writeCount(places.count)
      for place in places { writer.writeInteger(place) }
    case .keyed(let kind, let keys, let tables):
      writer.writeByte(10)
      writer.writeByte(kind)
      for keys in [keys, tables] {
        writer.writeCount(keys.count)
        for key in keys { key.write(to: &writer) }
      }
    case .part(let content):
      writer.writeByte(11)
      content.write(to: &writer)
    }
  }

  fileprivate init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    func keys() throws(ValueReader.Malformed) -> [StatePath.Key] {
      var keys: [StatePath.Key] = []
      for _ in 0..<(try reader.readLength()) { keys.append(try StatePath.Key(from: &reader)) }
      return keys
    }
    switch try reader.byte() {
    case 0: self = .absent
    case 1: self = .table
    case 2: self = .boolean(false)
    case 3: self = .boolean(true)
    case 4: self = .integer(try reader.readInteger())
    case 5: self = .number(try reader.readWord())
    case 6: self = .text(ExactText(try reader.readText()))
    case 7: self = .list(try reader.readCount(), tables: .none)
    case 8: self = .list(try reader.readCount(), tables: .all)
    case 9:
      let count = try reader.readCount()
      var places: [Int] = []
      for _ in 0..<(try reader.readLength()) { places.append(try reader.readInteger()) }
      self = .list(count, tables: .some(places))
    case 10: self = .keyed(kind: try reader.byte(), try keys(), tables: try keys())
    case 11: self = .part(try CanonicalState.Content(from: &reader))
    default: throw ValueReader.Malformed()
    }
  }
}

extension StatePath.Key {
  fileprivate func write(to writer: inout ValueWriter) {
    switch self {
    case .field(let name):
      writer.writeByte(0)
      writer.writeText(name)
    case .index(let index):
      writer.writeByte(1)
      writer.writeInteger(index)
    }
  }

  fileprivate init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch try reader.byte() {
    case 0: self = .field(try reader.readText())
    case 1: self = .index(try reader.readInteger())
    default: throw ValueReader.Malformed()
    }
  }
}

extension PlaceTable {
  fileprivate func write(to writer: inout ValueWriter) {
    writer.writeCount(count - 1)
    writer.writeByte(isAlikeWithin(PlaceTable.root) ? 1 : 0)
    for place in 1..<max(1, count) {
      guard let (above, key) = step(to: place) else { continue }
      writer.writeCount(above)
      key.write(to: &writer)
      writer.writeByte(isAlikeWithin(place) ? 1 : 0)
    }
  }

  fileprivate init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init()
    let more = try reader.readLength()
    if try reader.byte() == 1 { holdsAlike(PlaceTable.root) }
    for _ in 0..<more {
      let above = try reader.readCount()
      guard (0..<count).contains(above) else { throw ValueReader.Malformed() }
      let place = number(of: try StatePath.Key(from: &reader), in: above)
      if try reader.byte() == 1 { holdsAlike(place) }
    }
  }
}
