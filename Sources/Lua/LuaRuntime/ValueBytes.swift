import CLatch

/// The tags in the byte format of values that are passed to and from C; `encode.c` describes the format.
package enum ValueTag: UInt8 {
  case `nil`, `false`, `true`, integer, number, string, list, record, map, empty, open, none,
    unnamedMap
}

/// A key from a table to one of its values.
package enum ValueKey: Sendable, Hashable {
  case field(String)
  /// An element of a list, counted from 1, or the entry of a map.
  case index(Int)
}

/// A writer that appends encoded values to a buffer.
package struct ValueWriter {
  package private(set) var bytes: [UInt8]
  /// True if a record's field with the value nil is written as `none`, which removes a value.
  ///
  /// If false, the field is written as `nil`.
  private let writesNone: Bool

  package init(writesNone: Bool = false) {
    self.writesNone = writesNone
    bytes = []
    bytes.reserveCapacity(96)  // most of what crosses takes less, and need not grow then
  }

  /// Creates a writer that appends to bytes written before.
  package init(behind bytes: [UInt8]) {
    writesNone = false
    self.bytes = bytes
  }

  /// Clears the buffer, and keeps its capacity unless that is large.
  package mutating func begin() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= 4096)
  }

  package mutating func write(_ value: Value) {
    switch value {
    case .nil: tag(.nil)
    case .boolean(let value): tag(value ? .true : .false)
    case .integer(let value):
      tag(.integer)
      word(UInt64(bitPattern: Int64(value)))
    case .number(let value):
      tag(.number)
      word(value.bitPattern)
    case .string(let value):
      tag(.string)
      text(value)
    case .list(let elements):
      beginList(elements.count)
      for element in elements { write(element) }
    case .record(let fields):
      beginRecord(fields.count)
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
        text(name)
        if writesNone && value.isNil { tag(.none) } else { write(value) }
      }
    case .map(let entries):
      tag(.map)
      count(entries.count)
      for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
        word(UInt64(bitPattern: Int64(key)))
        write(value)
      }
    }
  }

  /// Begins a list with this number of elements, which must be written next.
  package mutating func beginList(_ length: Int) {
    tag(.list)
    count(length)
  }

  /// Begins a record with this number of fields.
  ///
  /// For each field, in ascending order of their names, the name and then the value must be written next.
  package mutating func beginRecord(_ fields: Int) {
    tag(fields == 0 ? .empty : .record)
    if fields > 0 { count(fields) }
  }

  /// Writes the name of a field.
  package mutating func writeName(_ name: String) { text(name) }

  private mutating func tag(_ tag: ValueTag) { bytes.append(tag.rawValue) }

  private mutating func word(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func count(_ count: Int) {
    var rest = UInt(bitPattern: count)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      count(utf8.count)
      bytes.append(contentsOf: utf8)
    }
  }
}

// Writing data that is no Lua value, for records that consist of such bytes.
extension ValueWriter {
  /// Appends the bytes of another writer.
  package mutating func append(_ other: ValueWriter) { bytes += other.bytes }

  package mutating func writeByte(_ byte: UInt8) { bytes.append(byte) }

  /// Writes a number of at least 0; small numbers take fewer bytes.
  package mutating func writeCount(_ number: Int) { count(number) }

  /// Writes a number of either sign; numbers near 0 take fewer bytes.
  package mutating func writeInteger(_ number: Int) {
    var rest = UInt(bitPattern: (number << 1) ^ (number >> (Int.bitWidth - 1)))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  package mutating func writeWord(_ number: UInt64) { word(number) }

  package mutating func writeText(_ text: String) { self.text(text) }

  package mutating func writeBytes(_ more: UnsafeRawBufferPointer) {
    count(more.count)
    bytes.append(contentsOf: more)
  }

  package mutating func writeBytes(_ more: [UInt8]) { more.withUnsafeBytes { writeBytes($0) } }
}

/// A reader of values from bytes.
///
/// It throws for bytes that are truncated or unknown. They come from C or from a file, and neither may crash the
/// host.
package struct ValueReader {
  package struct Malformed: Error, CustomStringConvertible {
    /// The limit in bytes outside of Lua that the value exceeded; nil for other errors.
    package var most: Int?
    /// True if a record has two names that Swift cannot tell apart.
    package var hasTwoOfAName = false

    package init(most: Int? = nil, hasTwoOfAName: Bool = false) {
      (self.most, self.hasTwoOfAName) = (most, hasTwoOfAName)
    }

    package var description: String {
      if hasTwoOfAName {
        return
          "a record has two names that look the same and differ only in their Unicode characters"
      }
      guard let most else { return "a value could not be read back from Lua" }
      return "the value takes more than \(most) bytes outside of Lua"
    }
  }

  /// The maximum nesting depth, including the tables with which the host wraps the values of scripts.
  package static let deepest = LATCH_DEEPEST_BYTES

  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private let most: Int
  /// The approximate size of the values read so far outside of Lua, in bytes.
  ///
  /// It can far exceed the number of bytes read: one byte can stand for an empty table.
  package private(set) var size = 0
  /// The paths to maps that the script did not mark as maps, with the last key first.
  private var unnamed: [[ValueKey]] = []

  /// - Parameter most: the most bytes that the values may take outside of Lua; more throws.
  package init(_ bytes: UnsafeRawBufferPointer, most: Int = .max) {
    (self.bytes, self.most) = (bytes, most)
  }

  private mutating func grow(by more: Int) throws(Malformed) {
    size += more
    if size > most { throw Malformed(most: most) }
  }

  package var isAtEnd: Bool { position >= bytes.count }

  /// The paths to tables whose integer keys are not 1 to n, and which no script marked as maps.
  ///
  /// The types of the values decide if each is a map or a list with holes.
  package var unnamedMaps: [[ValueKey]] { unnamed.map { $0.reversed() } }

  /// Appends a key to the paths of the maps found in the value under that key.
  private mutating func lead(to key: ValueKey, from first: Int) {
    for index in first..<unnamed.count { unnamed[index].append(key) }
  }

  /// The number of bytes read.
  package var offset: Int { position }

  /// Returns the next byte without reading it.
  package func peek() throws(Malformed) -> UInt8 {
    guard position < bytes.count else { throw Malformed() }
    return bytes[position]
  }

  package mutating func byte() throws(Malformed) -> UInt8 {
    guard position < bytes.count else { throw Malformed() }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func word() throws(Malformed) -> UInt64 {
    guard bytes.count - position >= 8 else { throw Malformed() }
    defer { position += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  private mutating func count() throws(Malformed) -> Int {
    var result = 0
    var shift = 0
    while shift < 56 {
      let next = try byte()
      result |= Int(next & 0x7f) << shift
      if next & 0x80 == 0 { return result }
      shift += 7
    }
    throw Malformed()
  }

  private mutating func text() throws(Malformed) -> String {
    let length = try count()
    guard length <= bytes.count - position else { throw Malformed() }
    defer { position += length }
    try grow(by: ValueSize.text(length))
    return String(decoding: bytes[position..<position + length], as: UTF8.self)
  }

  package mutating func value(depth: Int = 0) throws(Malformed) -> Value {
    guard depth <= ValueReader.deepest, let tag = ValueTag(rawValue: try byte()) else {
      throw Malformed()
    }
    switch tag {
    case .list: return try list(depth: depth)
    case .record, .open: return try record(depth: depth)
    case .map: return try map(depth: depth)
    case .unnamedMap:
      let map = try map(depth: depth)
      unnamed.append([])
      return map
    default: return try plain(tag)
    }
  }

  // These are separate functions, so that nested values use as little stack as possible.

  /// Reads a value without nested values.
  private mutating func plain(_ tag: ValueTag) throws(Malformed) -> Value {
    switch tag {
    case .false: .boolean(false)
    case .true: .boolean(true)
    case .integer: .integer(Int(Int64(bitPattern: try word())))
    case .number: .number(Double(bitPattern: try word()))
    case .string: .string(try text())
    case .empty: .record([:])
    case .nil, .none, .list, .record, .open, .map, .unnamedMap: .nil
    }
  }

  private mutating func length() throws(Malformed) -> Int {
    let length = try count()
    guard length <= bytes.count - position else { throw Malformed() }
    return length
  }

  private mutating func list(depth: Int) throws(Malformed) -> Value {
    let length = try length()
    try grow(by: ValueSize.collection + length * ValueSize.element)
    var elements: [Value] = []
    elements.reserveCapacity(length)
    for index in 0..<length {
      let before = unnamed.count
      elements.append(try value(depth: depth + 1))
      if unnamed.count > before { lead(to: .index(index + 1), from: before) }
    }
    return .list(elements)
  }

  private mutating func record(depth: Int) throws(Malformed) -> Value {
    let length = try length()
    try grow(by: ValueSize.collection + length * ValueSize.field)
    var fields = [String: Value](minimumCapacity: length)
    for _ in 0..<length {
      let name = try text()
      let before = unnamed.count
      fields[name] = try value(depth: depth + 1)
      if unnamed.count > before { lead(to: .field(name), from: before) }
    }
    if fields.count < length { throw Malformed(hasTwoOfAName: true) }
    return .record(fields)
  }

  private mutating func map(depth: Int) throws(Malformed) -> Value {
    let length = try length()
    try grow(by: ValueSize.collection + length * ValueSize.field)
    var entries = [Int: Value](minimumCapacity: length)
    for _ in 0..<length {
      let key = Int(Int64(bitPattern: try word()))
      let before = unnamed.count
      entries[key] = try value(depth: depth + 1)
      if unnamed.count > before { lead(to: .index(key), from: before) }
    }
    return .map(entries)
  }

  /// Skips a value, and returns its bytes.
  package mutating func skip() throws(Malformed) -> UnsafeRawBufferPointer {
    let begin = position
    try skipValue(depth: 0)
    return UnsafeRawBufferPointer(rebasing: bytes[begin..<position])
  }

  private mutating func skipValue(depth: Int) throws(Malformed) {
    guard depth <= ValueReader.deepest, let tag = ValueTag(rawValue: try byte()) else {
      throw Malformed()
    }
    switch tag {
    case .nil, .none, .false, .true, .empty: return
    case .integer, .number: _ = try word()
    case .string: _ = try slice()
    case .list: for _ in 0..<(try length()) { try skipValue(depth: depth + 1) }
    case .record, .open:
      for _ in 0..<(try length()) {
        _ = try slice()
        try skipValue(depth: depth + 1)
      }
    case .map, .unnamedMap:
      for _ in 0..<(try length()) {
        _ = try word()
        try skipValue(depth: depth + 1)
      }
    }
  }

  /// Reads all values up to the end.
  package mutating func values() throws(Malformed) -> [Value] {
    if isAtEnd { return [] }
    var values: [Value] = []
    values.reserveCapacity(4)
    while !isAtEnd {
      let before = unnamed.count
      values.append(try value())
      lead(to: .index(values.count), from: before)
    }
    return values
  }
}

extension ValueReader {
  /// Reads a number that `writeCount` has written.
  package mutating func readCount() throws(Malformed) -> Int { try count() }

  /// Reads a count of items that take at least one byte each; throws if fewer bytes remain.
  package mutating func readLength() throws(Malformed) -> Int { try length() }

  /// Reads a number that `writeInteger` has written.
  package mutating func readInteger() throws(Malformed) -> Int {
    var result: UInt = 0
    var shift = 0
    while shift < UInt.bitWidth {
      let next = try byte()
      result |= UInt(next & 0x7f) << UInt(shift)
      if next & 0x80 == 0 { return Int(bitPattern: result >> 1) ^ -Int(bitPattern: result & 1) }
      shift += 7
    }
    throw Malformed()
  }

  package mutating func readWord() throws(Malformed) -> UInt64 { try word() }

  package mutating func readText() throws(Malformed) -> String { try text() }

  package mutating func readBytes() throws(Malformed) -> [UInt8] { [UInt8](try slice()) }

  /// Reads bytes that `writeBytes` has written, without copying them.
  package mutating func slice() throws(Malformed) -> UnsafeRawBufferPointer {
    let length = try count()
    guard length <= bytes.count - position else { throw Malformed() }
    defer { position += length }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
  }
}
