import LuaRuntime

/// Reading of values from JSON, in which all keys are texts, so that types decide which maps have integer keys.
extension PayloadType {
  /// Returns a JSON value as this type reads it.
  ///
  /// `{"3": 1}` is a map with the key 3 if the keys are integers. `{"[3]": 1}`, the exact form of that map, has the
  /// key `[3]` if they are texts. A value that does not fit is returned as it is, so that the check of the payload
  /// reports it.
  package func reading(json value: Value) -> Value {
    switch (self, value) {
    case (.optional(let inner), _): return inner.reading(json: value)
    case (.listOf(let element, _, _, _), .list(let elements)):
      return .list(elements.map(element.reading))
    case (.record(let fields), .record(let given)):
      var read = given
      for field in fields {
        if let value = given[field.name] { read[field.name] = field.type.reading(json: value) }
      }
      return .record(read)
    case (.mapOf(let element, _, _, _), .list(let elements)):
      return .list(elements.map(element.reading))
    case (.mapOf(let element, _, _, _), .record(let given)):
      let read = given.mapValues(element.reading)
      return hasIntegerKeys ? PayloadType.numbered(read) ?? .record(read) : .record(read)
    case (.mapOf(let element, _, _, _), .map(let given)):
      let read = given.mapValues(element.reading)
      if hasIntegerKeys { return .map(read) }
      return .record(Dictionary(uniqueKeysWithValues: read.map { ("[\($0)]", $1) }))
    default: return value
    }
  }

  /// Returns a map with integer keys if all names are such as `3`, or all are such as `[3]`; otherwise nil.
  private static func numbered(_ fields: [String: Value]) -> Value? {
    if fields.isEmpty { return nil }
    var entries: [Int: Value] = [:]
    let isBracketed = fields.keys.allSatisfy { $0.hasPrefix("[") && $0.hasSuffix("]") }
    for (name, value) in fields {
      let digits = isBracketed ? String(name.dropFirst().dropLast()) : name
      guard let key = Int(digits), String(key) == digits else { return nil }
      entries[key] = value
    }
    return .map(entries)
  }
}
