/// A plain value that a flow's state, a payload or a view can hold, outside the Lua VM.
///
/// Integers and doubles are kept apart, as Lua does: `Value.integer(1)` is not `Value.number(1)`.
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
  /// A table with integer keys that is no list: what `map {}` may hold.
  case map([Int: Value])
}

extension Value {
  /// Equality of texts byte by byte, as in Lua: "\u{e9}" is not "e\u{301}".
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

  /// The field of a record, or nil where there is none.
  public subscript(field: String) -> Value? {
    guard case .record(let fields) = self, let index = fields.index(forKey: field),
      fields.keys[index].isSame(as: field)
    else { return nil }
    return fields.values[index]
  }

  /// The element of a list, counted from 0 as Swift does, or nil where there is none.
  public subscript(index: Int) -> Value? {
    if case .list(let elements) = self, elements.indices.contains(index) { return elements[index] }
    return nil
  }

  /// The truth of the value as Lua sees it: everything but nil and false is true.
  public var isTruthy: Bool {
    switch self {
    case .nil, .boolean(false): false
    default: true
    }
  }

  /// Whether this is `.nil`.
  public var isNil: Bool { self == .nil }

  /// The text of a string value, or nil.
  public var stringValue: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// The integer of an integer value, or nil.
  public var integerValue: Int? {
    if case .integer(let integer) = self { return integer }
    return nil
  }

  /// The elements of a list (an empty record counts as an empty list), or nil.
  public var listValue: [Value]? {
    switch self {
    case .list(let elements): elements
    case .record(let fields) where fields.isEmpty: []
    default: nil
    }
  }

  /// The fields of a record (an empty list counts as an empty record), or nil.
  public var recordValue: [String: Value]? {
    switch self {
    case .record(let fields): fields
    case .list(let elements) where elements.isEmpty: [:]
    default: nil
    }
  }

  /// Equality as Lua's `==`: 1 and 1.0 are equal, and no integer is equal to a number that it is
  /// not.
  package func isLuaEqual(to other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
      Int(exactly: number) == integer
    default: self == other
    }
  }

  /// Whether the value is what a part of it says: of records and maps the fields that are named,
  /// nil being none, of lists every element.
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

  /// What kind of value this is, as messages call it: "an integer", "a string", "a list".
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
