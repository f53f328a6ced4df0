import LuaRuntime

extension PayloadType {
  /// A value that fits, made of samples, defaults and the least value of each type; nil if none can be found.
  package var sample: Value? {
    if let first = common?.samples.first ?? defaultValue { return first }
    switch self {
    case .boolean: return true
    case .integer(let min, let max, _), .number(let min, let max, _): return Self.number(min, max)
    case .string(nil, let least, let most, _):
      let length = max(least ?? 0, min(1, most ?? 1))
      return length > 200 ? nil : .string(String(repeating: "a", count: length))
    case .string: return nil
    case .any: return 1
    case .oneOf(let values, _): return values.first
    case .listOf(let element, let least, _, _):
      guard let least, least > 0 else { return .list([]) }
      guard least < 100, let one = element.sample else { return nil }
      return .list(Array(repeating: one, count: least))
    case .mapOf: return [:]
    case .optional: return .nil
    case .record(let fields):
      var values: [String: Value] = [:]
      for field in fields where !field.type.isOptional {
        guard let value = field.type.sample else { return nil }
        values[field.name] = value
      }
      return .record(values)
    }
  }

  private static func number(_ min: Value?, _ max: Value?) -> Value {
    switch (min, max) {
    case (let min?, _): min
    case (nil, .integer(let max)?): .integer(Swift.min(1, max))
    case (nil, let max?): max
    case (nil, nil): 1
    }
  }
}
