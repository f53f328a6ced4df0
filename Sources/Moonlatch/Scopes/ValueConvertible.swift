import LuaRuntime

/// What capabilities take and give: types with a plain value of their own.
protocol ValueConvertible {
  /// What messages call the type: `a string`.
  static var valueKind: String { get }
  /// Reads the value; nil where it is of another kind.
  init?(_ value: Value)
  /// The value.
  var value: Value { get }
}

extension Value: ValueConvertible {
  /// Any value.
  static var valueKind: String { "any value" }
  /// The value itself.
  init?(_ value: Value) { self = value }
  /// The value itself.
  var value: Value { self }
}

extension Bool: ValueConvertible {
  /// A boolean.
  static var valueKind: String { "a boolean" }
  /// Reads a boolean.
  init?(_ value: Value) {
    guard case .boolean(let flag) = value else { return nil }
    self = flag
  }
  /// The boolean as a value.
  var value: Value { .boolean(self) }
}

extension Int: ValueConvertible {
  /// An integer.
  static var valueKind: String { "an integer" }
  /// Reads an integer, or a number that is whole.
  init?(_ value: Value) {
    switch value {
    case .integer(let integer): self = integer
    case .number(let number):
      guard let integer = Int(exactly: number) else { return nil }
      self = integer
    default: return nil
    }
  }
  /// The integer as a value.
  var value: Value { .integer(self) }
}

extension Double: ValueConvertible {
  /// A number.
  static var valueKind: String { "a number" }
  /// Reads a number, or an integer.
  init?(_ value: Value) {
    guard let number = value.doubleValue else { return nil }
    self = number
  }
  /// The number as a value.
  var value: Value { .number(self) }
}

extension String: ValueConvertible {
  /// A string.
  static var valueKind: String { "a string" }
  /// Reads a string.
  init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    self = text
  }
  /// The string as a value.
  var value: Value { .string(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  /// The wrapped kind, or nothing.
  static var valueKind: String { "\(Wrapped.valueKind) or nil" }
  /// Reads nothing as nil.
  init?(_ value: Value) {
    if value.isNil {
      self = .none
    } else {
      guard let wrapped = Wrapped(value) else { return nil }
      self = .some(wrapped)
    }
  }
  /// The wrapped value, or `.nil`.
  var value: Value { self?.value ?? .nil }
}

extension Array: ValueConvertible where Element: ValueConvertible {
  /// A list.
  static var valueKind: String { "a list whose elements are each \(Element.valueKind)" }
  /// Reads a list, every element of which must fit.
  init?(_ value: Value) {
    guard let elements = value.listValue else { return nil }
    var read: [Element] = []
    for element in elements {
      guard let one = Element(element) else { return nil }
      read.append(one)
    }
    self = read
  }
  /// The elements as a list.
  var value: Value { .list(map(\.value)) }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
  /// A record.
  static var valueKind: String { "a record whose fields are each \(Value.valueKind)" }
  /// Reads a record, every field of which must fit.
  init?(_ value: Moonlatch.Value) {
    guard let fields = value.recordValue else { return nil }
    var read: [String: Value] = [:]
    for (name, field) in fields {
      guard let one = Value(field) else { return nil }
      read[name] = one
    }
    self = read
  }
  /// The fields as a record.
  var value: Moonlatch.Value { .record(mapValues(\.value)) }
}
