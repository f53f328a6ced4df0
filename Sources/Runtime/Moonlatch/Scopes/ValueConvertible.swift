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
  static var valueKind: String { "any value" }
  init?(_ value: Value) { self = value }
  var value: Value { self }
}

extension Bool: ValueConvertible {
  static var valueKind: String { "a boolean" }
  init?(_ value: Value) {
    guard case .boolean(let flag) = value else { return nil }
    self = flag
  }
  var value: Value { .boolean(self) }
}

extension Int: ValueConvertible {
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
  var value: Value { .integer(self) }
}

extension Double: ValueConvertible {
  static var valueKind: String { "a number" }
  /// Reads a number, or an integer.
  init?(_ value: Value) {
    guard let number = value.doubleValue else { return nil }
    self = number
  }
  var value: Value { .number(self) }
}

extension String: ValueConvertible {
  static var valueKind: String { "a string" }
  init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    self = text
  }
  var value: Value { .string(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
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
  var value: Value { self?.value ?? .nil }
}

extension Array: ValueConvertible where Element: ValueConvertible {
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
  var value: Value { .list(map(\.value)) }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
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
  var value: Moonlatch.Value { .record(mapValues(\.value)) }
}
