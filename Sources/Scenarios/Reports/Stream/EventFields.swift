import Moonlatch

/// The fields of an event under way to or from its JSON object.
///
/// What is empty, zero or false is left out, and read as such where it is missing.
struct EventFields {
  private(set) var fields: [String: Value]

  init(_ fields: [String: Value] = [:]) { self.fields = fields }
  init(_ value: Value) { fields = value.recordValue ?? [:] }

  var value: Value { .record(fields) }

  // MARK: Writing

  mutating func set(_ name: String, _ text: String?) {
    if let text { fields[name] = .string(text) }
  }

  mutating func set(_ name: String, _ number: Int?) {
    if let number, number != 0 { fields[name] = .integer(number) }
  }

  mutating func set(_ name: String, _ flag: Bool) {
    if flag { fields[name] = true }
  }

  mutating func set(_ name: String, _ texts: [String]) {
    if !texts.isEmpty { fields[name] = .list(texts.map { .string($0) }) }
  }

  mutating func set(_ name: String, _ values: [Value]) {
    if !values.isEmpty { fields[name] = .list(values) }
  }

  mutating func set(_ name: String, _ value: Value?) {
    if let value { fields[name] = value }
  }

  // MARK: Reading

  func text(_ name: String) -> String? { fields[name]?.stringValue }
  func number(_ name: String) -> Int? { fields[name]?.integerValue }
  func flag(_ name: String) -> Bool { fields[name]?.isTruthy ?? false }
  func list(_ name: String) -> [Value] { fields[name]?.listValue ?? [] }
  func texts(_ name: String) -> [String] { list(name).compactMap(\.stringValue) }
}
