import LuaRuntime
import Platform

/// The way in which a type is decoded from a plain value.
enum DecodedKind {
  /// The type is `Value`, or can hold any value.
  case value
  /// A dictionary, whose entries are read one by one.
  case entries(any DictionaryDecodable.Type)
  /// The type decodes itself from a decoder.
  case coded

  init<Result: Decodable>(_ type: Result.Type) {
    if Value.nil is Result {
      self = .value
    } else if let dictionary = type as? any DictionaryDecodable.Type {
      self = .entries(dictionary)
    } else {
      self = .coded
    }
  }

  /// Returns true if `plain` decodes every value of the type, or throws.
  package static func isPlain<Result>(_ type: Result.Type) -> Bool {
    type == Int.self || type == String.self || type == Bool.self || type == Double.self
      || type == Value.self
  }

  /// Decodes a value that needs no place of its own; nil if a place is needed.
  ///
  /// The types are compared first, which costs nothing; a failed cast costs more than the rest.
  package static func plain<Result>(
    _ type: Result.Type, _ value: Value, _ path: @autoclosure () -> [any CodingKey]
  ) throws -> Result? {
    if type == Int.self { return try value.read(Int.self, path()) as? Result }
    if type == String.self { return try value.read(String.self, path()) as? Result }
    if type == Double.self { return try value.read(Double.self, path()) as? Result }
    if type == Bool.self { return try value.read(Bool.self, path()) as? Result }
    if type == Value.self { return value as? Result }
    if type == [Int].self { return value.elements(as: Int.self) as? Result }
    if type == [Double].self { return value.elements(as: Double.self) as? Result }
    if type == [String].self { return value.elements(as: String.self) as? Result }
    if type == Data.self { return value.bytes as? Result }
    if type == URL.self { return value.url as? Result }
    return nil
  }
}

/// A cache of the kinds of types in a run of the decoder, since a cast to a protocol is slow.
package final class DecodedKinds {
  private var kinds: [ObjectIdentifier: DecodedKind] = [:]

  func kind<Result: Decodable>(of type: Result.Type) -> DecodedKind {
    if let kind = kinds[ObjectIdentifier(type)] { return kind }
    let kind = DecodedKind(type)
    kinds[ObjectIdentifier(type)] = kind
    return kind
  }
}

/// A dictionary that can be decoded from a record.
protocol DictionaryDecodable {
  /// Decodes a record; nil if the value is no record.
  static func read(from place: DecodingPlace) throws -> Self?
}

extension Dictionary: DictionaryDecodable where Key == String, Value: Decodable {
  static func read(from place: DecodingPlace) throws -> [String: Value]? {
    guard case .record(let fields) = place.value else { return nil }
    var read = [String: Value](minimumCapacity: fields.count)
    if DecodedKind.isPlain(Value.self),
      // If a field fails, the loop below reports the first one by name.
      (try? fields.forEach { name, field in
        read[name] = try place.read(Value.self, field, at: .name(name))
      }) != nil
    {
      return read
    }
    for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
      read[name] = try place.read(Value.self, field, at: .name(name))
    }
    return read
  }
}
