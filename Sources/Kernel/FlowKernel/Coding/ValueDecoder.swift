import LuaRuntime

/// Decodes a plain value as a Decodable type: a view, a payload, an argument of a capability.
package enum ValueDecoder {
  package static func decode<Result: Decodable>(_ type: Result.Type, from value: Value) throws
    -> Result
  {
    try DecodingPlace(value, kinds: DecodedKinds()).read(type)
  }
}

/// A value that is being decoded, and the decoder from which a type decodes it.
///
/// A place is used again for the next part of its parent, unless something still refers to it. Its coding path is
/// computed from its parents only when an error needs it.
package final class DecodingPlace: Decoder, SingleValueDecodingContainer {
  package private(set) var value: Value
  private let kinds: DecodedKinds
  private var latest: (type: ObjectIdentifier, kind: DecodedKind)?
  private var parent: DecodingPlace?
  private var step = CodingStep.index(0)
  /// A place for the next part, which has no parent meanwhile, so that there is no reference cycle.
  private var spare: DecodingPlace?

  init(_ value: Value, kinds: DecodedKinds) { (self.value, self.kinds) = (value, kinds) }

  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  package var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var place = self
    while let parent = place.parent {
      path.append(place.step.key)
      place = parent
    }
    path.reverse()
    return path
  }

  // MARK: Reading

  /// Decodes this value.
  package func read<Result: Decodable>(_ type: Result.Type) throws -> Result {
    if let plain = try DecodedKind.plain(type, value, codingPath) { return plain }
    return try convert(type, kind(of: type))
  }

  /// Decodes a part of this value.
  func read<Result: Decodable>(
    _ type: Result.Type, _ part: Value, at step: @autoclosure () -> CodingStep
  ) throws -> Result {
    if let plain = try DecodedKind.plain(type, part, codingPath + [step().key]) { return plain }
    var place = below(part, at: step())
    let result = try place.convert(type, kind(of: type))
    if isKnownUniquelyReferenced(&place) {
      place.parent = nil
      spare = place
    }
    return result
  }

  private func convert<Result: Decodable>(
    _ type: Result.Type, _ kind: DecodedKind
  ) throws -> Result {
    switch kind {
    case .value:
      if let value = value as? Result { return value }
    case .entries(let dictionary):
      if let read = try dictionary.read(from: self) as? Result { return read }
    case .coded: break
    }
    return try Result(from: self)
  }

  private func kind<Result: Decodable>(of type: Result.Type) -> DecodedKind {
    let identifier = ObjectIdentifier(type)
    if let latest, latest.type == identifier { return latest.kind }
    let kind = kinds.kind(of: type)
    latest = (identifier, kind)
    return kind
  }

  /// Returns the place of a part.
  func below(_ part: Value, at step: CodingStep) -> DecodingPlace {
    let place = spare ?? DecodingPlace(part, kinds: kinds)
    if spare != nil {
      spare = nil
      place.value = part
    }
    place.parent = self
    place.step = step
    return place
  }

  // MARK: Containers

  package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<
    Key
  > {
    switch value {
    case .record(let fields):
      return KeyedDecodingContainer(RecordDecoder(place: self, fields: fields, entries: nil))
    case .map(let entries):
      return KeyedDecodingContainer(RecordDecoder(place: self, fields: [:], entries: entries))
    case .list(let elements) where elements.isEmpty:  // {} may be either
      return KeyedDecodingContainer(RecordDecoder(place: self, fields: [:], entries: nil))
    default: throw value.mismatch([String: Value].self, "a record", codingPath)
    }
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.elements else {
      throw value.mismatch([Value].self, "a list", codingPath)
    }
    return ListDecoder(place: self, elements: elements)
  }

  package func singleValueContainer() -> any SingleValueDecodingContainer { self }

  // MARK: Single values

  package func decodeNil() -> Bool {
    if case .nil = value { true } else { false }
  }

  package func decode(_ type: Bool.Type) throws -> Bool { try value.read(type, codingPath) }
  package func decode(_ type: String.Type) throws -> String { try value.read(type, codingPath) }
  package func decode(_ type: Double.Type) throws -> Double { try value.read(type, codingPath) }
  package func decode(_ type: Int.Type) throws -> Int { try value.read(type, codingPath) }
  package func decode(_ type: Float.Type) throws -> Float {
    Float(try value.read(Double.self, codingPath))
  }
  package func decode(_ type: Int8.Type) throws -> Int8 { try value.integer(type, codingPath) }
  package func decode(_ type: Int16.Type) throws -> Int16 { try value.integer(type, codingPath) }
  package func decode(_ type: Int32.Type) throws -> Int32 { try value.integer(type, codingPath) }
  package func decode(_ type: Int64.Type) throws -> Int64 { try value.integer(type, codingPath) }
  package func decode(_ type: UInt.Type) throws -> UInt { try value.integer(type, codingPath) }
  package func decode(_ type: UInt8.Type) throws -> UInt8 { try value.integer(type, codingPath) }
  package func decode(_ type: UInt16.Type) throws -> UInt16 { try value.integer(type, codingPath) }
  package func decode(_ type: UInt32.Type) throws -> UInt32 { try value.integer(type, codingPath) }
  package func decode(_ type: UInt64.Type) throws -> UInt64 { try value.integer(type, codingPath) }
  package func decode<Result: Decodable>(_ type: Result.Type) throws -> Result { try read(type) }
}
