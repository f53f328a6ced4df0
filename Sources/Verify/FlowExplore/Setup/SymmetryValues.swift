import FlowLanguage
import LuaRuntime

/// Values that an exploration file declares symmetric: `alike = { r = { 1, 2, 3 } }`.
struct SymmetryValues: Sendable {
  /// The name of the list, and by default that of the payload fields that contain the values.
  let name: String
  /// The values, distinct strings or integers.
  let values: [Value]
  /// The names of all payload fields that contain the values.
  var fields: Set<String> = []
  /// The places in the state that contain the values; nil to detect them.
  var places: [SymmetryPlace]?
  /// The place of the option in the exploration file.
  let place: SourcePlace

  /// The maximum number of values, so that all orders of them can be enumerated.
  static let most = 8

  /// True if the values are strings, which are recognized everywhere in the state.
  var areStrings: Bool { values.first?.stringValue != nil }

  /// The number of orders of the values.
  var orders: Int { values.indices.reduce(1) { $0 * ($1 + 1) } }
}

/// An exchange of two values from one list.
struct SymmetryExchange: Hashable, Sendable {
  /// The number of the list.
  let list: Int
  let one, other: Value
  /// The numbers of the two values in the search.
  let numbers: (one: UInt32, other: UInt32)

  static func == (one: Self, other: Self) -> Bool {
    one.numbers.one == other.numbers.one && one.numbers.other == other.numbers.other
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(numbers.one)
    hasher.combine(numbers.other)
  }

  /// Returns the image of a value.
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

  /// Returns the image of a text that may be one of the values, such as an option of a gatekeeper.
  func image(ofText text: String) -> String {
    if one.stringValue != nil { return image(of: .string(text)).stringValue ?? text }
    guard let number = Int(text), "\(number)" == text else { return text }
    return image(of: .integer(number)).integerValue.map { "\($0)" } ?? text
  }

  /// Returns the value with all values within it replaced by their images.
  func deepImage(of value: Value) -> Value {
    switch value {
    case .list(let elements): .list(elements.map(deepImage))
    case .record(let fields): .record(fields.mapValues(deepImage))
    case .map(let entries): .map(entries.mapValues(deepImage))
    default: image(of: value)
    }
  }

  /// Returns the image of a payload, whose fields with the given names contain symmetric values.
  func image(ofPayload payload: Value, _ fields: Set<String>) -> Value {
    guard case .record(var record) = payload else { return payload }
    for name in fields { record[name] = record[name].map(deepImage) }
    return .record(record)
  }
}
