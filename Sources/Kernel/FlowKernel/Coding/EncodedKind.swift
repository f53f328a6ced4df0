import LuaRuntime
import Platform

/// The way in which a type is encoded as a plain value.
enum EncodedKind {
  /// The type is a plain value, or nearly.
  case plain
  /// The type has a plain value of its own.
  case convertible
  /// A dictionary, whose entries are encoded one by one.
  case entries
  /// The type encodes itself into an encoder.
  case coded

  fileprivate init<Part: Encodable>(_ type: Part.Type) {
    if EncodedKind.isPlain(type) {
      self = .plain
    } else if type is any ValueConvertible.Type {
      self = .convertible
    } else if EncodedKind.isDictionary(type) {
      self = .entries
    } else {
      self = .coded
    }
  }

  private static func isPlain<Part>(_ type: Part.Type) -> Bool {
    type == Int.self || type == String.self || type == Bool.self || type == Double.self
      || type == Value.self || type == [Int].self || type == [Double].self
      || type == [String].self || type == Data.self
  }

  private static func isDictionary(_ type: Any.Type) -> Bool {
    if let optional = type as? any WrappingType.Type { return isDictionary(optional.wrapped) }
    return type is any DictionaryEncodable.Type
  }

  /// Returns the plain value of a part that needs no place of its own; nil if a place is needed.
  ///
  /// The types are compared first, which costs nothing; a failed cast costs more than the rest.
  package static func plain<Part: Encodable>(_ part: Part) -> Value? {
    if Part.self == Int.self, let part = part as? Int { return .integer(part) }
    if Part.self == String.self, let part = part as? String { return .string(part) }
    if Part.self == Double.self, let part = part as? Double { return .number(part) }
    if Part.self == Bool.self, let part = part as? Bool { return .boolean(part) }
    if Part.self == Value.self, let part = part as? Value { return part }
    if Part.self == [Int].self, let part = part as? [Int] {
      return .list(part.map { .integer($0) })
    }
    if Part.self == [Double].self, let part = part as? [Double] {
      return .list(part.map { .number($0) })
    }
    if Part.self == [String].self, let part = part as? [String] {
      return .list(part.map { .string($0) })
    }
    if Part.self == Data.self, let part = part as? Data {
      return .list(part.withUnsafeBytes { bytes in bytes.map { .integer(Int($0)) } })
    }
    // Foundation encodes it in this form.
    if Part.self == URL.self, let part = part as? URL, part.baseURL == nil {
      return .record(["relative": .string(part.relativeString)])
    }
    return nil
  }
}

/// A cache of the kinds of types in a run of the encoder, since a cast to a protocol is slow.
package final class EncodedKinds {
  private var kinds: [ObjectIdentifier: EncodedKind] = [:]

  func kind<Part: Encodable>(of type: Part.Type) -> EncodedKind {
    if let kind = kinds[ObjectIdentifier(type)] { return kind }
    let kind = EncodedKind(type)
    kinds[ObjectIdentifier(type)] = kind
    return kind
  }
}

/// An optional: casts look through it, while types do not.
private protocol WrappingType {
  static var wrapped: Any.Type { get }
}

extension Optional: WrappingType {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}

/// A dictionary that is encoded as a record, or, with integer keys, as a map.
protocol DictionaryEncodable {
  func encodeEntries(to place: EncodingPlace) throws
}

extension Dictionary: DictionaryEncodable where Key: DictionaryKeyEncodable, Value: Encodable {
  func encodeEntries(to place: EncodingPlace) throws { try Key.encode(self, to: place) }
}

/// A key of a dictionary that is encoded as a record or a map.
protocol DictionaryKeyEncodable: Hashable {
  static func encode<Part: Encodable>(_ entries: [Self: Part], to place: EncodingPlace) throws
}

extension String: DictionaryKeyEncodable {
  static func encode<Part: Encodable>(_ entries: [String: Part], to place: EncodingPlace) throws {
    place.beginRecord()
    for (name, part) in entries { try place.encodeField(part, name, at: .name(name)) }
  }
}

extension Int: DictionaryKeyEncodable {
  static func encode<Part: Encodable>(_ entries: [Int: Part], to place: EncodingPlace) throws {
    try place.setMap(entries)
  }
}
