import LuaRuntime

/// Reads the fields of a record, or the entries of a map.
struct RecordDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  package let place: DecodingPlace
  package let fields: [String: Value]
  /// The entries of a map, which are used instead of fields; nil for a record.
  package let entries: [Int: Value]?

  package var codingPath: [any CodingKey] { place.codingPath }

  package var allKeys: [Key] {
    guard let entries else {
      let names = fields.count < 2 ? Array(fields.keys) : fields.keys.sorted()
      return names.compactMap(Key.init(stringValue:))
    }
    return entries.keys.sorted().compactMap {
      Key(intValue: $0) ?? Key(stringValue: String($0))
    }
  }

  // MARK: Finding

  private func value(_ key: some CodingKey) -> Value? {
    guard let entries else { return fields[key.stringValue] }
    return (key.intValue ?? Int(key.stringValue)).flatMap { entries[$0] }
  }

  /// Returns the value of a key; nil if there is none, or if it is nil.
  private func present(_ key: Key) -> Value? {
    let value = value(key)
    if case .some(.nil) = value { return nil }
    return value
  }

  private func path(_ key: Key) -> [any CodingKey] { codingPath + [key] }

  private func find(_ key: some CodingKey) throws -> Value {
    guard let value = value(key) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "there is no \(key.stringValue)"))
    }
    return value
  }

  package func contains(_ key: Key) -> Bool { value(key) != nil }

  package func decodeNil(forKey key: Key) -> Bool { present(key) == nil }

  // MARK: Values

  package func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try find(key).read(type, path(key))
  }
  package func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try find(key).read(type, path(key))
  }
  package func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try find(key).read(type, path(key))
  }
  package func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try find(key).read(type, path(key))
  }
  package func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    Float(try find(key).read(Double.self, path(key)))
  }
  package func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try find(key).integer(type, path(key))
  }
  package func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try find(key).integer(type, path(key))
  }
  package func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try find(key).integer(type, path(key))
  }
  package func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try find(key).integer(type, path(key))
  }
  package func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try find(key).integer(type, path(key))
  }
  package func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try find(key).integer(type, path(key))
  }
  package func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try find(key).integer(type, path(key))
  }
  package func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try find(key).integer(type, path(key))
  }
  package func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try find(key).integer(type, path(key))
  }

  package func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
    try place.read(type, find(key), at: .key(key))
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(key)?.read(type, path(key))
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key)?.read(type, path(key))
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key)?.read(type, path(key))
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(key)?.read(type, path(key))
  }

  func decodeIfPresent<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result? {
    guard let value = present(key) else { return nil }
    return try place.read(type, value, at: .key(key))
  }

  // MARK: Containers

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

  private func below(_ key: some CodingKey) throws -> DecodingPlace {
    place.below(try find(key), at: .key(key))
  }
}

/// Reads the elements of a list.
struct ListDecoder: UnkeyedDecodingContainer {
  private let place: DecodingPlace
  private let elements: [Value]
  private(set) var currentIndex = 0

  package init(place: DecodingPlace, elements: [Value]) {
    (self.place, self.elements) = (place, elements)
  }

  package var codingPath: [any CodingKey] { place.codingPath }
  package var count: Int? { elements.count }
  package var isAtEnd: Bool { currentIndex >= elements.count }

  /// Returns the next element, which counts as read even if it turns out to be of another type.
  private mutating func next() throws -> Value {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self,
        .init(
          codingPath: codingPath,
          debugDescription: "the list has no more than \(elements.count) elements"))
    }
    defer { currentIndex += 1 }
    return elements[currentIndex]
  }

  /// The path of the element that was read last.
  private var path: [any CodingKey] { codingPath + [PlaceKey(intValue: currentIndex - 1)] }

  package mutating func decodeNil() -> Bool {
    guard !isAtEnd, case .nil = elements[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  package mutating func decode(_ type: Bool.Type) throws -> Bool { try next().read(type, path) }
  package mutating func decode(_ type: String.Type) throws -> String { try next().read(type, path) }
  package mutating func decode(_ type: Double.Type) throws -> Double { try next().read(type, path) }
  package mutating func decode(_ type: Int.Type) throws -> Int { try next().read(type, path) }
  package mutating func decode(_ type: Float.Type) throws -> Float {
    Float(try next().read(Double.self, path))
  }
  package mutating func decode(_ type: Int8.Type) throws -> Int8 { try next().integer(type, path) }
  package mutating func decode(_ type: Int16.Type) throws -> Int16 {
    try next().integer(type, path)
  }
  package mutating func decode(_ type: Int32.Type) throws -> Int32 {
    try next().integer(type, path)
  }
  package mutating func decode(_ type: Int64.Type) throws -> Int64 {
    try next().integer(type, path)
  }
  package mutating func decode(_ type: UInt.Type) throws -> UInt { try next().integer(type, path) }
  package mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    try next().integer(type, path)
  }
  package mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    try next().integer(type, path)
  }
  package mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    try next().integer(type, path)
  }
  package mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    try next().integer(type, path)
  }

  package mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    try place.read(type, next(), at: .index(currentIndex - 1))
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  {
    try below().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try below().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try below() }

  private mutating func below() throws -> DecodingPlace {
    place.below(try next(), at: .index(currentIndex - 1))
  }
}
