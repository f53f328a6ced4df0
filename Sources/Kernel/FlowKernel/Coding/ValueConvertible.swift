import LuaRuntime

/// A type of arguments and results of capabilities that has a plain value of its own.
package protocol ValueConvertible {
  /// The name of the type in messages, such as `a string`.
  static var valueKind: String { get }
  /// Reads a value; nil if it is of another kind.
  init?(_ value: Value)
  /// The plain value.
  var value: Value { get }
}

extension Value: ValueConvertible {
  package static var valueKind: String { "any value" }
  package init?(_ value: Value) { self = value }
  package var value: Value { self }
}

extension Bool: ValueConvertible {
  package static var valueKind: String { "a boolean" }
  package init?(_ value: Value) {
    guard case .boolean(let flag) = value else { return nil }
    self = flag
  }
  package var value: Value { .boolean(self) }
}

extension Int: ValueConvertible {
  package static var valueKind: String { "an integer" }
  /// Reads an integer, or a whole number.
  package init?(_ value: Value) {
    switch value {
    case .integer(let integer): self = integer
    case .number(let number):
      guard let integer = Int(exactly: number) else { return nil }
      self = integer
    default: return nil
    }
  }
  package var value: Value { .integer(self) }
}

extension Double: ValueConvertible {
  package static var valueKind: String { "a number" }
  /// Reads a number, or an integer.
  package init?(_ value: Value) {
    guard let number = value.doubleValue else { return nil }
    self = number
  }
  package var value: Value { .number(self) }
}

extension String: ValueConvertible {
  package static var valueKind: String { "a string" }
  package init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    self = text
  }
  package var value: Value { .string(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  package static var valueKind: String { "\(Wrapped.valueKind) or nil" }
  /// Reads a nil value as nil.
  package init?(_ value: Value) {
    if value.isNil {
      self = .none
    } else {
      guard let wrapped = Wrapped(value) else { return nil }
      self = .some(wrapped)
    }
  }
  package var value: Value { self?.value ?? .nil }
}

extension Array: ValueConvertible where Element: ValueConvertible {
  package static var valueKind: String { "a list whose elements are each \(Element.valueKind)" }
  /// Reads a list, every element of which must fit.
  package init?(_ value: Value) {
    guard let elements = value.listValue else { return nil }
    var read: [Element] = []
    for element in elements {
      guard let one = Element(element) else { return nil }
      read.append(one)
    }
    self = read
  }
  package var value: Value { .list(map(\.value)) }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
  package static var valueKind: String { "a record whose fields are each \(Value.valueKind)" }
  /// Reads a record, every field of which must fit.
  package init?(_ value: LuaRuntime.Value) {
    guard let fields = value.recordValue else { return nil }
    var read: [String: Value] = [:]
    for (name, field) in fields {
      guard let one = Value(field) else { return nil }
      read[name] = one
    }
    self = read
  }
  package var value: LuaRuntime.Value { .record(mapValues(\.value)) }
}
