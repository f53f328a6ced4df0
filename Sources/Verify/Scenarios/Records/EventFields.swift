import LuaRuntime

/// The fields of an event on their way to a JSON object; `OutsideFields` reads them again.
///
/// Empty lists, zeros and false are left out, and missing fields are read as such.
package struct EventFields {
  private var fields: [String: Value] = [:]

  package init() {}

  package var value: Value { .record(fields) }

  package mutating func set(_ name: String, _ text: String?) {
    if let text { fields[name] = .string(text) }
  }

  package mutating func set(_ name: String, _ number: Int) {
    if number != 0 { fields[name] = .integer(number) }
  }

  package mutating func set(_ name: String, _ number: Int?) {
    if let number { fields[name] = .integer(number) }
  }

  package mutating func set(_ name: String, _ flag: Bool) {
    if flag { fields[name] = true }
  }

  package mutating func set(_ name: String, _ texts: [String]) {
    if !texts.isEmpty { fields[name] = .list(texts.map { .string($0) }) }
  }

  package mutating func set(_ name: String, _ values: [Value]) {
    if !values.isEmpty { fields[name] = .list(values) }
  }

  package mutating func set(_ name: String, _ value: Value?) {
    if let value { fields[name] = value }
  }
}
