import LuaRuntime

/// A random type, with its own check of values.
///
/// The check is independent, so that each part of Moonlatch that checks values can be compared with it.
package indirect enum RandomType: Sendable {
  case any, boolean
  case integer(min: Int?, max: Int?)
  case number(min: Double?, max: Double?)
  /// The pattern is one of `patterns`.
  case string(pattern: String?, min: Int?, max: Int?)
  case oneOf([Value])
  case list(RandomType, min: Int?, max: Int?)
  case map(RandomType, key: RandomType?, max: Int?)
  case record([Field])

  package struct Field: Sendable {
    let name: String
    let type: RandomType
    let isOptional: Bool
    let defaultValue: Value?
  }

  /// Lua patterns, each with texts that match.
  static let patterns: [(pattern: String, texts: [String])] = [
    ("^%a+$", ["a", "ab", "Abc"]), ("%d", ["1", "a2", "33"]), ("^[äß]", ["ä", "äx", "ß"]),
  ]

  /// The type as a flow declares it.
  package var source: String {
    switch self {
    case .any: return "any"
    case .boolean: return "boolean"
    case .integer(let min, let max):
      return RandomType.source("integer", [("min", min?.description), ("max", max?.description)])
    case .number(let min, let max):
      let bounds = [("min", min), ("max", max)].map { ($0, $1.map(Value.text)) }
      return RandomType.source("number", bounds)
    case .string(let pattern, let min, let max):
      return RandomType.source(
        "string",
        [
          ("pattern", pattern.map { Value.quoted($0, limit: .max) }),
          ("min_length", min?.description), ("max_length", max?.description),
        ])
    case .oneOf(let values):
      return "one_of { \(values.map(\.description).joined(separator: ", ")) }"
    case .list(let element, let min, let max):
      let lengths = RandomType.constraints(
        [("min_length", min?.description), ("max_length", max?.description)])
      return "list_of { \(([element.source] + lengths).joined(separator: ", ")) }"
    case .map(let element, let key, let max):
      let more = RandomType.constraints([("key", key?.source), ("max_length", max?.description)])
      return "map_of { \(([element.source] + more).joined(separator: ", ")) }"
    case .record(let fields):
      let parts = fields.map { field in
        var type = field.type.source
        if field.isOptional { type = "optional(\(type))" }
        if let value = field.defaultValue {
          type = field.type.refined("default = \(field.type.literal(value))")
        }
        return "\(Value.key(field.name)) = \(type)"
      }
      return "{ \(parts.joined(separator: ", ")) }"
    }
  }

  private static func constraints(_ pairs: [(String, String?)]) -> [String] {
    pairs.compactMap { name, value in value.map { "\(name) = \($0)" } }
  }

  private static func source(_ word: String, _ pairs: [(String, String?)]) -> String {
    let constraints = constraints(pairs)
    return constraints.isEmpty ? word : "\(word) { \(constraints.joined(separator: ", ")) }"
  }

  /// Returns the source of the type with an additional constraint.
  private func refined(_ constraint: String) -> String {
    let source = source
    return source.last == "}"
      ? "\(source.dropLast(2)), \(constraint) }" : "\(source) { \(constraint) }"
  }

  /// Returns a value as Lua source, which names the kind of a table only where the type does not.
  package func literal(_ value: Value) -> String {
    let parts: [String]
    switch (self, value) {
    case (.any, _): return value.source
    case (_, .list(let elements)): parts = elements.map { part(nil).literal($0) }
    case (_, .record(let fields)):
      parts = fields.sorted { $0.key < $1.key }.map { name, value in
        "\(Value.key(name)) = \(part(name).literal(value))"
      }
    case (_, .map(let entries)):
      parts = entries.sorted { $0.key < $1.key }.map { "[\($0)] = \(part(nil).literal($1))" }
    default: return value.source
    }
    return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
  }

  /// Returns the type of a part of a value; that of a scalar if there are no parts.
  func part(_ name: String?) -> RandomType {
    switch self {
    case .list(let element, _, _), .map(let element, _, _): element
    case .record(let fields): fields.first { $0.name == name }?.type ?? .boolean
    default: .boolean
    }
  }

  // MARK: Checking values

  /// Returns the value as a payload or as a part of the state; nil if it does not fit.
  ///
  /// - Parameter completes: true for the state, where a missing field has its initial value; a payload must have it.
  package func normalized(_ value: Value, completes: Bool) -> Value? {
    switch self {
    case .any: return RandomType.isPlain(value) ? value : nil
    case .boolean: return [true, false].contains(value) ? value : nil
    case .integer(let min, let max):
      var whole = value.integerValue
      if case .number(let number) = value { whole = Int(exactly: number) }
      guard let whole, whole >= min ?? .min, whole <= max ?? .max else { return nil }
      return .integer(whole)
    case .number(let min, let max):
      let number: Double
      switch value {
      case .integer(let integer): number = Double(integer)
      case .number(let double): number = double
      default: return nil
      }
      guard number.isFinite, number >= min ?? -.infinity, number <= max ?? .infinity else {
        return nil
      }
      return value
    case .string(let pattern, let min, let max):
      guard case .string(let text) = value else { return nil }
      let length = text.unicodeScalars.count
      guard length >= min ?? 0, length <= max ?? .max else { return nil }
      guard let pattern else { return value }
      return RandomType.matches(text, pattern) ? value : nil
    case .oneOf(let values):
      return values.first { choice in
        switch (choice, value) {
        case (.integer(let whole), .number(let number)), (.number(let number), .integer(let whole)):
          Double(whole) == number
        default: choice == value
        }
      }
    case .list(let element, let min, let max):
      guard let elements = value.listValue, elements.count >= min ?? 0,
        elements.count <= max ?? .max
      else { return nil }
      let normalized = elements.compactMap {
        $0.isNil ? nil : element.normalized($0, completes: completes)
      }
      return normalized.count == elements.count ? .list(normalized) : nil
    case .map(let element, let key, let max):
      return normalized(value, element, key, max, completes)
    case .record(let fields): return normalized(value, fields, completes)
    }
  }

  /// The initial value of a place in the state, if the type has one.
  var beginning: Value? {
    switch self {
    case .list(_, let min, _): return min ?? 0 > 0 ? nil : .list([])
    case .map: return [:]
    case .record(let fields):
      var record: [String: Value] = [:]
      for field in fields where !field.isOptional {
        guard let value = field.defaultValue ?? field.type.beginning else { return nil }
        record[field.name] = value
      }
      return .record(record)
    default: return nil
    }
  }

  /// Returns true if the keys of a map are integers.
  static func hasIntegerKeys(_ key: RandomType?) -> Bool {
    switch key {
    case .integer: true
    case .oneOf(let values): values.first?.integerValue != nil
    default: false
    }
  }

  private func normalized(
    _ value: Value, _ element: RandomType, _ key: RandomType?, _ max: Int?, _ completes: Bool
  ) -> Value? {
    var entries: [(key: Value, value: Value)]
    switch value {
    case .record(let fields): entries = fields.map { (.string($0), $1) }
    case .map(let numbered): entries = numbered.map { (.integer($0), $1) }
    case .list(let elements): entries = elements.enumerated().map { (.integer($0 + 1), $1) }
    default: return nil
    }
    entries.removeAll { $0.value.isNil }
    guard entries.count <= max ?? .max else { return nil }
    var (named, numbered): ([String: Value], [Int: Value]) = ([:], [:])
    for (own, value) in entries {
      guard let value = element.normalized(value, completes: completes) else { return nil }
      guard let key = key ?? .string(pattern: nil, min: nil, max: nil) as RandomType?,
        let own = key.normalized(own, completes: completes)
      else { return nil }
      switch own {
      case .string(let text): named[text] = value
      case .integer(let number): numbered[number] = value
      default: return nil
      }
    }
    return RandomType.hasIntegerKeys(key) && !numbered.isEmpty ? .map(numbered) : .record(named)
  }

  private func normalized(
    _ value: Value, _ fields: [Field], _ completes: Bool
  ) -> Value? {
    guard let given = value.recordValue else { return nil }
    var record: [String: Value] = [:]
    for field in fields {
      let beginning = completes && !field.isOptional ? field.type.beginning : nil
      guard let value = given[field.name] ?? field.defaultValue ?? beginning, !value.isNil else {
        if field.isOptional { continue }
        return nil
      }
      guard let value = field.type.normalized(value, completes: completes) else { return nil }
      record[field.name] = value
    }
    let known = Set(fields.map(\.name))
    return given.allSatisfy { known.contains($0.key) || $0.value.isNil } ? .record(record) : nil
  }

  private static func isPlain(_ value: Value) -> Bool {
    switch value {
    case .nil: false
    case .number(let number): !number.isNaN
    case .list(let elements): elements.allSatisfy(isPlain)
    case .record(let fields): fields.values.allSatisfy(isPlain)
    case .map(let entries): entries.values.allSatisfy(isPlain)
    default: true
    }
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    switch pattern {
    case "^%a+$":
      return !scalars.isEmpty && scalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic }
    case "%d": return scalars.contains { ("0"..."9").contains($0) }
    default:  // the bytes of either letter, because Lua's patterns match bytes
      return text.utf8.first.map { "äß".utf8.contains($0) } ?? false
    }
  }
}
