extension Value: Codable {
  /// Encodes the value as plain data.
  ///
  /// A JSON encoder makes `null`, `true`, `1`, `1.5`, a string, an array or an object of it. A map's integer keys
  /// become an object's names.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .list(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .record(let fields):
      var container = encoder.container(keyedBy: PlaceKey.self)
      for (name, value) in fields {
        try container.encode(value, forKey: PlaceKey(stringValue: name))
      }
    case .map(let entries):
      var container = encoder.container(keyedBy: PlaceKey.self)
      for (key, value) in entries { try container.encode(value, forKey: PlaceKey(intValue: key)) }
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .boolean(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      default: try container.encodeNil()
      }
    }
  }

  /// Decodes a value that `encode(to:)` has encoded.
  ///
  /// A whole number becomes an integer. An object becomes a record, even if a map was encoded.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: PlaceKey.self) {
      var fields: [String: Value] = [:]
      for key in container.allKeys {
        fields[key.stringValue] = try container.decode(Value.self, forKey: key)
      }
      self = .record(fields)
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var elements: [Value] = []
      while !container.isAtEnd { elements.append(try container.decode(Value.self)) }
      self = .list(elements)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .nil
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }
}

/// A key of a coding path.
package struct PlaceKey: CodingKey {
  package let stringValue: String
  package let intValue: Int?

  package init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
  package init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}
