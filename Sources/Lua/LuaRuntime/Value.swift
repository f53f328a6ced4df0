/// A plain value that a flow's state, a payload or a view can hold, outside the Lua VM.
///
/// Integers and doubles are distinct, as in Lua: `Value.integer(1)` is not `Value.number(1)`.
///
/// ```swift
/// let payload: Value = ["amount": 1, "tags": ["new"]]
/// payload["amount"]  // .integer(1)
/// ```
public enum Value: Sendable, Hashable {
  /// No value.
  case `nil`
  /// True or false.
  case boolean(Bool)
  /// A 64-bit integer.
  case integer(Int)
  /// A double. Never NaN in a state.
  case number(Double)
  /// UTF-8 text.
  case string(String)
  /// The elements of a list, which Lua counts from 1.
  case list([Value])
  /// Named fields.
  case record([String: Value])
  /// A table with integer keys that is no list, such as `map {}`.
  case map([Int: Value])
}

extension Value {
  /// Compares two values; texts are equal if their bytes are, as in Lua: "\u{e9}" is not "e\u{301}".
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.nil, .nil): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a.isSame(as: b)
    case (.list(let a), .list(let b)): a == b
    case (.map(let a), .map(let b)): a == b
    case (.record(let a), .record(let b)): areEqual(a, b)
    default: false
    }
  }

  private static func areEqual(_ a: [String: Value], _ b: [String: Value]) -> Bool {
    if a.count != b.count { return false }
    for (name, value) in a {
      guard let index = b.index(forKey: name), name.isSame(as: b.keys[index]),
        value == b.values[index]
      else { return false }
    }
    return true
  }

  /// The field of a record, or nil if there is none.
  ///
  /// Setting it to nil removes the field. A value that has no fields stays as it is.
  public subscript(field: String) -> Value? {
    get {
      guard case .record(let fields) = self, let index = fields.index(forKey: field),
        fields.keys[index].isSame(as: field)
      else { return nil }
      return fields.values[index]
    }
    set {
      guard var fields = recordValue else { return }
      fields[field] = newValue?.isNil == true ? nil : newValue
      self = .record(fields)
    }
  }

  /// The element of a list, counted from 0 as in Swift, or nil if there is none.
  ///
  /// Setting it to nil removes the element. Setting the element after the last one appends it.
  public subscript(index: Int) -> Value? {
    get {
      if case .list(let elements) = self, elements.indices.contains(index) {
        return elements[index]
      }
      return nil
    }
    set {
      guard var elements = listValue, (0...elements.count).contains(index) else { return }
      switch newValue {
      case let value? where index == elements.count: elements.append(value)
      case let value?: elements[index] = value
      case nil where index < elements.count: elements.remove(at: index)
      case nil: return
      }
      self = .list(elements)
    }
  }

  /// Appends an element to a list; a value that is no list stays as it is.
  public mutating func append(_ element: Value) {
    guard var elements = listValue else { return }
    elements.append(element)
    self = .list(elements)
  }

  /// True if Lua counts the value as true: everything but nil and false.
  public var isTruthy: Bool {
    switch self {
    case .nil, .boolean(false): false
    default: true
    }
  }

  /// True if the value is `.nil`.
  public var isNil: Bool { self == .nil }

  /// The text of a string value, or nil for other values.
  public var stringValue: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// The integer of an integer value, or nil for other values.
  public var integerValue: Int? {
    if case .integer(let integer) = self { return integer }
    return nil
  }

  /// The elements of a list, or nil for other values; an empty record counts as an empty list.
  public var listValue: [Value]? {
    switch self {
    case .list(let elements): elements
    case .record(let fields) where fields.isEmpty: []
    default: nil
    }
  }

  /// The fields of a record, or nil for other values; an empty list counts as an empty record.
  public var recordValue: [String: Value]? {
    switch self {
    case .record(let fields): fields
    case .list(let elements) where elements.isEmpty: [:]
    default: nil
    }
  }

  /// Returns true if Lua's `==` holds: 1 and 1.0 are equal, and an integer equals no number with another value.
  package func isLuaEqual(to other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
      Int(exactly: number) == integer
    default: self == other
    }
  }

  /// Returns true if the value matches `part`.
  ///
  /// A record or map must match every named field, where `.nil` stands for no value. A list must match element by
  /// element.
  package func contains(_ part: Value) -> Bool {
    switch (self, part) {
    case (.record(let fields), .record(let wanted)):
      wanted.allSatisfy { (fields[$0.key] ?? .nil).contains($0.value) }
    case (.map(let entries), .map(let wanted)):
      wanted.allSatisfy { (entries[$0.key] ?? .nil).contains($0.value) }
    case (.list(let elements), .list(let wanted)):
      elements.count == wanted.count && zip(elements, wanted).allSatisfy { $0.contains($1) }
    // An empty table is of no kind.
    case (.list(let elements), .record(let wanted)) where wanted.isEmpty: elements.isEmpty
    case (.map, .record(let wanted)) where wanted.isEmpty: true
    case (.map, .list(let wanted)) where wanted.isEmpty: true
    case (.record(let fields), .list(let wanted)) where wanted.isEmpty: fields.isEmpty
    default: isLuaEqual(to: part)
    }
  }

  /// The kind of the value, as messages name it: "an integer", "a string", "a list".
  public var kindName: String {
    switch self {
    case .nil: "nothing"
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .number: "a number"
    case .string: "a string"
    case .list: "a list"
    case .record: "a record"
    case .map: "a map"
    }
  }
}

// Not ExpressibleByNilLiteral: where a `Value?` is expected, `nil` shall mean that there is none.
extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `true` is `.boolean(true)`.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// `1` is `.integer(1)`.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// `1.5` is `.number(1.5)`.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// `"a"` is `.string("a")`.
  public init(stringLiteral value: String) { self = .string(value) }
  /// `[1, 2]` is a list.
  public init(arrayLiteral elements: Value...) { self = .list(elements) }
  /// `["a": 1]` is a record; of two equal names the later one holds.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .record(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}
