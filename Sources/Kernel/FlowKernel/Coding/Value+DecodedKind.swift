import LuaRuntime
import Platform

extension Value {
  /// The elements of a list; empty for any empty table, nil for anything else.
  package var elements: [Value]? {
    switch self {
    case .list(let elements): elements
    case .record(let fields) where fields.isEmpty: []
    case .map(let entries) where entries.isEmpty: []
    default: nil
    }
  }

  func elements<Element: ValueConvertible>(as type: Element.Type) -> [Element]? {
    guard let elements else { return nil }
    var read: [Element] = []
    read.reserveCapacity(elements.count)
    for element in elements {
      guard let one = Element(element) else { return nil }
      read.append(one)
    }
    return read
  }

  var bytes: Data? {
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

  /// A URL in the form in which Foundation encodes it, if it is not relative to another.
  var url: URL? {
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
