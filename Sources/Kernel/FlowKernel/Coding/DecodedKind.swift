import LuaRuntime
import Platform

/// How a type is read from a plain value.
enum DecodedKind {
  /// It is any value.
  case value
  /// A dictionary, whose entries are read one by one.
  case entries(any DictionaryDecodable.Type)
  /// It reads from a decoder.
  case coded

  fileprivate init<Result: Decodable>(_ type: Result.Type) {
    if Value.nil is Result {
      self = .value
    } else if let dictionary = type as? any DictionaryDecodable.Type {
      self = .entries(dictionary)
    } else {
      self = .coded
    }
  }

  /// Whether `plain` reads all that is of the type, or says why it cannot.
  package static func isPlain<Result>(_ type: Result.Type) -> Bool {
    type == Int.self || type == String.self || type == Bool.self || type == Double.self
      || type == Value.self
  }

  /// Reads what needs no place of its own; nil where one is needed to tell.
  ///
  /// The types are compared first, which costs nothing; a cast that fails costs more than the rest.
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

/// The kinds of the types that were met in a run of the decoder: a cast to a protocol that a type may have
/// is slow.
package final class DecodedKinds {
  private var kinds: [ObjectIdentifier: DecodedKind] = [:]

  func kind<Result: Decodable>(of type: Result.Type) -> DecodedKind {
    if let kind = kinds[ObjectIdentifier(type)] { return kind }
    let kind = DecodedKind(type)
    kinds[ObjectIdentifier(type)] = kind
    return kind
  }
}

/// A dictionary that a record is read as.
protocol DictionaryDecodable {
  /// Nil where the value is no record.
  static func read(from place: DecodingPlace) throws -> Self?
}

extension Dictionary: DictionaryDecodable where Key == String, Value: Decodable {
  static func read(from place: DecodingPlace) throws -> [String: Value]? {
    guard case .record(let fields) = place.value else { return nil }
    var read = [String: Value](minimumCapacity: fields.count)
    if DecodedKind.isPlain(Value.self),
      // Which field is told of is up to the reading in their order.
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

extension Value {
  /// The elements of a list; of any empty table none; nil of anything else.
  package var elements: [Value]? {
    switch self {
    case .list(let elements): elements
    case .record(let fields) where fields.isEmpty: []
    case .map(let entries) where entries.isEmpty: []
    default: nil
    }
  }

  fileprivate func elements<Element: ValueConvertible>(as type: Element.Type) -> [Element]? {
    guard let elements else { return nil }
    var read: [Element] = []
    read.reserveCapacity(elements.count)
    for element in elements {
      guard let one = Element(element) else { return nil }
      read.append(one)
    }
    return read
  }

  fileprivate var bytes: Data? {
    guard let elements else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.count)
    for element in elements {
      guard case .integer(let integer) = element, let byte = UInt8(exactly: integer) else {
        return nil
      }
      bytes.append(byte)
    }
    return Data(bytes)
  }

  /// As Foundation writes it, where it is not relative to another.
  fileprivate var url: URL? {
    guard case .record(let fields) = self, fields["base"] == nil,
      case .string(let text) = fields["relative"]
    else { return nil }
    return URL(string: text)
  }

  func read<Result: ValueConvertible>(
    _ type: Result.Type, _ path: @autoclosure () -> [any CodingKey]
  ) throws -> Result {
    guard let result = Result(self) else { throw mismatch(type, Result.valueKind, path()) }
    return result
  }

  package func integer<Result: FixedWidthInteger>(
    _ type: Result.Type, _ path: @autoclosure () -> [any CodingKey]
  ) throws -> Result {
    guard let result = Result(exactly: try read(Int.self, path())) else {
      throw mismatch(type, "an integer from \(Result.min) to \(Result.max)", path())
    }
    return result
  }

  package func mismatch(_ type: Any.Type, _ kind: String, _ path: [any CodingKey]) -> DecodingError
  {
    .typeMismatch(
      type, .init(codingPath: path, debugDescription: "expected \(kind), got \(text(limit: 60))"))
  }
}
