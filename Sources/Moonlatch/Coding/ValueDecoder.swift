import LuaRuntime

/// Reads a plain value as a Decodable type: a view, a payload, an argument of a capability.
enum ValueDecoder {
  static func decode<Result: Decodable>(_ type: Result.Type, from value: Value) throws -> Result {
    try PlaceDecoder(value: value, codingPath: []).read(type)
  }
}

private struct PlaceDecoder: Decoder, SingleValueDecodingContainer {
  let value: Value
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func read<Result: Decodable>(_ type: Result.Type) throws -> Result {
    if let value = value as? Result { return value }
    return try Result(from: self)
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch value {
    case .record, .map: break
    case .list(let elements) where elements.isEmpty: break  // {} may be either
    default: throw mismatch([String: Value].self, "a record")
    }
    return KeyedDecodingContainer(RecordDecoder(place: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .list(let elements): return ListDecoder(place: self, elements: elements)
    case .record(let fields) where fields.isEmpty: return ListDecoder(place: self, elements: [])
    case .map(let entries) where entries.isEmpty: return ListDecoder(place: self, elements: [])
    default: throw mismatch([Value].self, "a list")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  // MARK: Single values

  func decodeNil() -> Bool { value.isNil }

  func decode(_ type: Bool.Type) throws -> Bool { try convert(type) }
  func decode(_ type: String.Type) throws -> String { try convert(type) }
  func decode(_ type: Double.Type) throws -> Double { try convert(type) }
  func decode(_ type: Float.Type) throws -> Float { Float(try convert(Double.self)) }
  func decode(_ type: Int.Type) throws -> Int { try convert(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode<Result: Decodable>(_ type: Result.Type) throws -> Result { try read(type) }

  private func convert<Result: ValueConvertible>(_ type: Result.Type) throws -> Result {
    guard let result = Result(value) else { throw mismatch(type, Result.valueKind) }
    return result
  }

  private func integer<Result: FixedWidthInteger>(_ type: Result.Type) throws -> Result {
    guard let result = Result(exactly: try convert(Int.self)) else {
      throw mismatch(type, "an integer from \(Result.min) to \(Result.max)")
    }
    return result
  }

  // MARK: Faults and steps down

  func mismatch(_ type: Any.Type, _ kind: String) -> DecodingError {
    .typeMismatch(
      type,
      .init(
        codingPath: codingPath, debugDescription: "expected \(kind), got \(value.text(limit: 60))"))
  }

  func below(_ value: Value, _ key: any CodingKey) -> PlaceDecoder {
    PlaceDecoder(value: value, codingPath: codingPath + [key])
  }
}

private struct RecordDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let place: PlaceDecoder
  var codingPath: [any CodingKey] { place.codingPath }

  var allKeys: [Key] {
    switch place.value {
    case .record(let fields): fields.keys.sorted().compactMap(Key.init(stringValue:))
    case .map(let entries):
      entries.keys.sorted().compactMap {
        Key(intValue: $0) ?? Key(stringValue: String($0))
      }
    default: []
    }
  }

  private func find(_ key: any CodingKey) -> Value? {
    switch place.value {
    case .record(let fields): fields[key.stringValue]
    case .map(let entries): (key.intValue ?? Int(key.stringValue)).flatMap { entries[$0] }
    default: nil
    }
  }

  private func below(_ key: any CodingKey) throws -> PlaceDecoder {
    guard let value = find(key) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "there is no \(key.stringValue)"))
    }
    return place.below(value, key)
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }

  func decodeNil(forKey key: Key) -> Bool { find(key)?.isNil ?? true }

  func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
    try below(key).read(type)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    try below(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try below(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try below(PlaceKey(stringValue: "super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try below(key) }
}

private struct ListDecoder: UnkeyedDecodingContainer {
  let place: PlaceDecoder
  let elements: [Value]
  private(set) var currentIndex = 0

  init(place: PlaceDecoder, elements: [Value]) { (self.place, self.elements) = (place, elements) }

  var codingPath: [any CodingKey] { place.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private mutating func next() throws -> PlaceDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self,
        .init(
          codingPath: codingPath,
          debugDescription: "the list has no more than \(elements.count) elements"))
    }
    defer { currentIndex += 1 }
    return place.below(elements[currentIndex], PlaceKey(intValue: currentIndex))
  }

  mutating func decodeNil() -> Bool {
    guard !isAtEnd, elements[currentIndex].isNil else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    try next().read(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}
