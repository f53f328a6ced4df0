import FlowLanguage
import LuaRuntime

/// Values that an exploration file says may be exchanged: `alike = { r = { 1, 2, 3 } }`.
struct SymmetryValues: Sendable {
  /// The name of the payload fields that hold them.
  let name: String
  /// Strings or integers, of which there are no two the same.
  let values: [Value]
  /// The names of all payload fields that hold them.
  var fields: Set<String> = []
  /// Where they stand in the state; nil where the file leaves it to be found.
  var places: [SymmetryPlace]?
  /// Where the option stands.
  let place: SourcePlace

  /// So many at most, so that all orders of them can be gone through.
  static let most = 8

  /// Whether they are strings, which are known wherever they stand.
  var areStrings: Bool { values.first?.stringValue != nil }

  /// In how many orders they can stand.
  var orders: Int { values.indices.reduce(1) { $0 * ($1 + 1) } }
}

/// Two values of one list that are exchanged.
struct SymmetryExchange: Hashable, Sendable {
  /// The list, by its number.
  let list: Int
  let one, other: Value
  /// Their numbers in the search.
  let numbers: (one: UInt32, other: UInt32)

  static func == (one: Self, other: Self) -> Bool {
    one.numbers.one == other.numbers.one && one.numbers.other == other.numbers.other
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(numbers.one)
    hasher.combine(numbers.other)
  }

  /// What becomes of a value.
  func image(of value: Value) -> Value {
    value == one ? other : value == other ? one : value
  }

  func image(of key: StatePath.Key) -> StatePath.Key {
    switch (key, image(of: key.value)) {
    case (.field, .string(let name)): .field(name)
    case (.index, .integer(let index)): .index(index)
    default: key
    }
  }

  /// What becomes of a text that may be one of the values, as options of gatekeepers are.
  func image(ofText text: String) -> String {
    if one.stringValue != nil { return image(of: .string(text)).stringValue ?? text }
    guard let number = Int(text), "\(number)" == text else { return text }
    return image(of: .integer(number)).integerValue.map { "\($0)" } ?? text
  }

  /// What becomes of all values within one.
  func deepImage(of value: Value) -> Value {
    switch value {
    case .list(let elements): .list(elements.map(deepImage))
    case .record(let fields): .record(fields.mapValues(deepImage))
    case .map(let entries): .map(entries.mapValues(deepImage))
    default: image(of: value)
    }
  }

  /// What becomes of a payload, in whose fields of these names they stand.
  func image(ofPayload payload: Value, _ fields: Set<String>) -> Value {
    guard case .record(var record) = payload else { return payload }
    for name in fields { record[name] = record[name].map(deepImage) }
    return .record(record)
  }
}
