import LuaRuntime

/// Writes the fields of a record.
struct RecordEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  package let place: EncodingPlace
  package var codingPath: [any CodingKey] { place.codingPath }

  package func encodeNil(forKey key: Key) {}

  package func encode(_ value: Bool, forKey key: Key) {
    place.set(.boolean(value), for: key.stringValue)
  }
  package func encode(_ value: String, forKey key: Key) {
    place.set(.string(value), for: key.stringValue)
  }
  package func encode(_ value: Double, forKey key: Key) {
    place.set(.number(value), for: key.stringValue)
  }
  package func encode(_ value: Int, forKey key: Key) {
    place.set(.integer(value), for: key.stringValue)
  }
  package func encode(_ value: Float, forKey key: Key) {
    place.set(.number(Double(value)), for: key.stringValue)
  }
  package func encode(_ value: Int8, forKey key: Key) throws { try encode(whole: value, key) }
  package func encode(_ value: Int16, forKey key: Key) throws { try encode(whole: value, key) }
  package func encode(_ value: Int32, forKey key: Key) throws { try encode(whole: value, key) }
  package func encode(_ value: Int64, forKey key: Key) throws { try encode(whole: value, key) }
  package func encode(_ value: UInt, forKey key: Key) throws { try encode(whole: value, key) }
  package func encode(_ value: UInt8, forKey key: Key) throws { try encode(whole: value, key) }
  package func encode(_ value: UInt16, forKey key: Key) throws { try encode(whole: value, key) }
  package func encode(_ value: UInt32, forKey key: Key) throws { try encode(whole: value, key) }
  package func encode(_ value: UInt64, forKey key: Key) throws { try encode(whole: value, key) }

  package func encode(_ value: some Encodable, forKey key: Key) throws {
    try place.encodeField(value, key.stringValue, at: .key(key))
  }

  private func encode(whole value: some FixedWidthInteger, _ key: Key) throws {
    guard let integer = Int(exactly: value) else {
      throw EncodingError.tooLarge(value, codingPath + [key])
    }
    place.set(.integer(integer), for: key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  {
    encoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(PlaceKey(stringValue: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func encoder(_ key: any CodingKey) -> EncodingPlace {
    place.field(key.stringValue, at: .key(key))
  }
}

/// Writes the elements of a list.
struct ListEncoder: UnkeyedEncodingContainer {
  package let place: EncodingPlace
  package var codingPath: [any CodingKey] { place.codingPath }
  package var count: Int { place.count }

  package func encodeNil() throws {
    throw EncodingError.invalidValue(
      Value.nil,
      .init(
        codingPath: codingPath + [PlaceKey(intValue: count)],
        debugDescription: "a list has no holes"))
  }

  package func encode(_ value: Bool) { place.append(.boolean(value)) }
  package func encode(_ value: String) { place.append(.string(value)) }
  package func encode(_ value: Double) { place.append(.number(value)) }
  package func encode(_ value: Int) { place.append(.integer(value)) }
  package func encode(_ value: Float) { place.append(.number(Double(value))) }
  package func encode(_ value: Int8) throws { try encode(whole: value) }
  package func encode(_ value: Int16) throws { try encode(whole: value) }
  package func encode(_ value: Int32) throws { try encode(whole: value) }
  package func encode(_ value: Int64) throws { try encode(whole: value) }
  package func encode(_ value: UInt) throws { try encode(whole: value) }
  package func encode(_ value: UInt8) throws { try encode(whole: value) }
  package func encode(_ value: UInt16) throws { try encode(whole: value) }
  package func encode(_ value: UInt32) throws { try encode(whole: value) }
  package func encode(_ value: UInt64) throws { try encode(whole: value) }

  package func encode(_ value: some Encodable) throws { try place.encodeElement(value) }

  private func encode(whole value: some FixedWidthInteger) throws {
    guard let integer = Int(exactly: value) else {
      throw EncodingError.tooLarge(value, codingPath + [PlaceKey(intValue: count)])
    }
    place.append(.integer(integer))
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type)
    -> KeyedEncodingContainer<Nested>
  {
    place.element().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    place.element().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { place.element() }
}

/// Writes a value that is neither a list nor a record.
struct SingleEncoder: SingleValueEncodingContainer {
  package let place: EncodingPlace
  package var codingPath: [any CodingKey] { place.codingPath }

  package func encodeNil() { place.set(.nil) }
  package func encode(_ value: Bool) { place.set(.boolean(value)) }
  package func encode(_ value: String) { place.set(.string(value)) }
  package func encode(_ value: Double) { place.set(.number(value)) }
  package func encode(_ value: Float) { place.set(.number(Double(value))) }
  package func encode(_ value: Int) { place.set(.integer(value)) }
  package func encode(_ value: Int8) throws { try encode(whole: value) }
  package func encode(_ value: Int16) throws { try encode(whole: value) }
  package func encode(_ value: Int32) throws { try encode(whole: value) }
  package func encode(_ value: Int64) throws { try encode(whole: value) }
  package func encode(_ value: UInt) throws { try encode(whole: value) }
  package func encode(_ value: UInt8) throws { try encode(whole: value) }
  package func encode(_ value: UInt16) throws { try encode(whole: value) }
  package func encode(_ value: UInt32) throws { try encode(whole: value) }
  package func encode(_ value: UInt64) throws { try encode(whole: value) }

  package func encode(_ value: some Encodable) throws {
    if let plain = EncodedKind.plain(value) {
      place.set(plain)
    } else if let whole = value as? any (BinaryInteger & Encodable) {
      try encode(whole: whole)
    } else {
      try place.put(value)
    }
  }

  private func encode(whole value: some BinaryInteger) throws {
    guard let integer = Int(exactly: value) else {
      throw EncodingError.tooLarge(value, codingPath)
    }
    place.set(.integer(integer))
  }
}

extension EncodingError {
  fileprivate static func tooLarge(
    _ value: some BinaryInteger, _ path: [any CodingKey]
  ) -> EncodingError {
    .invalidValue(
      value,
      .init(codingPath: path, debugDescription: "\(value) does not fit into a 64-bit integer"))
  }
}
