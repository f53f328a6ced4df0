import LuaRuntime

/// Step 1 of a dispatch: is the payload what its action declares? Finds every fault at once.
struct PayloadCheck {
  /// Asks Lua whether a text matches a pattern.
  let matches: (_ text: String, _ pattern: String) -> Bool
  private(set) var faults: [String] = []

  init(matches: @escaping (String, String) -> Bool) { self.matches = matches }

  /// The payload with defaults filled in and whole numbers made integers.
  mutating func check(_ payload: Value, against type: PayloadType) -> Value {
    switch payload {
    case .nil: return check(.record([:]), type, at: "")
    default: return check(payload, type, at: "")
    }
  }

  private mutating func check(_ value: Value, _ type: PayloadType, at path: String) -> Value {
    switch type {
    case .optional(let inner): return value.isNil ? .nil : check(value, inner, at: path)
    case .any: return plain(value, at: path)
    case .boolean:
      if case .boolean = value { return value }
    case .integer(let min, let max, _):
      if let integer = wholeNumber(value), PayloadCheck.isWithin(.integer(integer), min, max) {
        return .integer(integer)
      }
    case .number(let min, let max, _):
      if PayloadCheck.isFinite(value), PayloadCheck.isWithin(value, min, max) { return value }
    case .string(let pattern, let min, let max, _):
      if case .string(let text) = value, isLength(text.unicodeScalars.count, min, max),
        pattern.map({ matches(text, $0) }) ?? true
      {
        return value
      }
    case .oneOf(let values, _):
      if let found = values.first(where: { PayloadCheck.areEqual($0, value) }) { return found }
    case .listOf(let element, let min, let max, _):
      if let elements = value.listValue, isLength(elements.count, min, max) {
        return .list(
          elements.enumerated().map { check($1, element, at: "\(path)[\($0 + 1)]") })
      }
    case .mapOf(let element, let key, let max, _):
      if let checked = checkMap(value, element, key, max, at: path) { return checked }
    case .record(let fields):
      if let given = value.recordValue { return checkFields(given, fields, at: path) }
    }
    return refuse(value, type, at: path)
  }

  private mutating func refuse(_ value: Value, _ type: PayloadType, at path: String) -> Value {
    let what = path.isEmpty ? "the payload" : path
    let found = value.isNil ? "but is missing" : "got \(value.text(limit: 60))"
    faults.append("\(what) must be \(type.text), \(found)")
    return .nil
  }

  private mutating func checkFields(
    _ given: [String: Value], _ fields: [PayloadType.Field], at path: String
  ) -> Value {
    var checked = [String: Value](minimumCapacity: fields.count)
    for field in fields {
      var value = given[field.name] ?? .nil
      if value.isNil, let standIn = field.type.defaultValue { value = standIn }
      let result = check(value, field.type, at: PayloadCheck.step(path, field.name))
      if !result.isNil { checked[field.name] = result }
    }
    if given.count > fields.count || given.keys.contains(where: { checked[$0] == nil }) {
      let known = Set(fields.map(\.name))
      for name in given.keys.sorted() where !known.contains(name) {
        faults.append(
          "\(PayloadCheck.step(path, name)) is not a field of this payload"
            + Names.suggestion(for: name, among: known))
      }
    }
    return .record(checked)
  }

  private mutating func checkMap(
    _ value: Value, _ element: PayloadType, _ key: PayloadType?, _ max: Int?, at path: String
  ) -> Value? {
    switch value {
    case .record, .list([]):
      let entries = value.recordValue ?? [:]
      guard isLength(entries.count, nil, max) else { return nil }
      if case .integer? = key, !entries.isEmpty { return nil }
      var checked: [String: Value] = [:]
      for name in entries.keys.sorted() {
        let here = PayloadCheck.step(path, name)
        if let key { _ = check(.string(name), key, at: "the key of \(here)") }
        checked[name] = check(entries[name] ?? .nil, element, at: here)
      }
      return .record(checked)
    case .list, .map:
      guard case .integer? = key else { return nil }
      var entries: [Int: Value] = [:]
      if case .map(let given) = value { entries = given }
      for (index, each) in (value.listValue ?? []).enumerated() { entries[index + 1] = each }
      guard isLength(entries.count, nil, max) else { return nil }
      var checked: [Int: Value] = [:]
      for number in entries.keys.sorted() {
        if let key { _ = check(.integer(number), key, at: "the key of \(path)[\(number)]") }
        checked[number] = check(entries[number] ?? .nil, element, at: "\(path)[\(number)]")
      }
      return .map(checked)
    default: return nil
    }
  }

  /// Any value goes, but NaN is no plain data anywhere.
  private mutating func plain(_ value: Value, at path: String) -> Value {
    if value.isNil {
      faults.append("\(path) must be any value, but is missing")
    } else if value.containsNaN {
      faults.append("\(path) must be plain data, got NaN")
    }
    return value
  }

  private func wholeNumber(_ value: Value) -> Int? {
    switch value {
    case .integer(let integer): integer
    case .number(let number): Int(exactly: number)
    default: nil
    }
  }

  private func isLength(_ count: Int, _ min: Int?, _ max: Int?) -> Bool {
    count >= (min ?? 0) && count <= (max ?? .max)
  }

  private static func isFinite(_ value: Value) -> Bool {
    switch value {
    case .integer: true
    case .number(let number): number.isFinite
    default: false
    }
  }

  private static func isWithin(_ value: Value, _ min: Value?, _ max: Value?) -> Bool {
    (min.map { !isLess(value, $0) } ?? true) && (max.map { !isLess($0, value) } ?? true)
  }

  private static func isLess(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.integer(let a), .number(let b)): Double(a) < b
    case (.number(let a), .integer(let b)): a < Double(b)
    case (.number(let a), .number(let b)): a < b
    default: false
    }
  }

  /// Equality as Lua's `==`: 1 and 1.0 are the same choice.
  private static func areEqual(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.integer(let a), .number(let b)): Double(a) == b
    case (.number(let a), .integer(let b)): a == Double(b)
    default: a == b
    }
  }

  private static func step(_ path: String, _ name: String) -> String {
    if path.isEmpty { return name }
    return Value.isName(name) ? "\(path).\(name)" : path + Value.key(name)
  }
}

extension Value {
  fileprivate var containsNaN: Bool {
    switch self {
    case .number(let number): number.isNaN
    case .list(let elements): elements.contains(where: \.containsNaN)
    case .record(let fields): fields.values.contains(where: \.containsNaN)
    case .map(let entries): entries.values.contains(where: \.containsNaN)
    default: false
    }
  }
}
