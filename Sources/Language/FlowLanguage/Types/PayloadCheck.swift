import LuaRuntime

/// A check of a payload against the type that its action declares, which is step 1 of a dispatch.
///
/// It finds all faults at once.
package struct PayloadCheck {
  /// Returns true if a text matches a Lua pattern.
  package let matches: (_ text: String, _ pattern: String) -> Bool
  package private(set) var faults: [String] = []
  /// True if the checked value is part of the state, which changes the wording of faults.
  private let isState: Bool

  /// The maximum nesting depth of tables, and the number of tables around the value under check.
  private let deepest: Int
  private var depth = 0

  package init(
    deepest: Int = Limits().deepest, isState: Bool = false,
    matches: @escaping (String, String) -> Bool
  ) {
    (self.deepest, self.isState) = (deepest, isState)
    self.matches = matches
  }

  /// Returns the payload with defaults filled in and whole numbers converted to integers.
  package mutating func check(_ payload: Value, against type: PayloadType) -> Value {
    switch payload {
    case .nil: return check(.record([:]), type, at: "")
    default: return check(payload, type, at: "")
    }
  }

  /// Returns a part of a payload, checked as `check` does.
  ///
  /// Fields that the part does not name are left open, in nested records too.
  package mutating func check(part: Value, of type: PayloadType) -> Value {
    check(part: part, type, at: "")
  }

  private mutating func check(part: Value, _ type: PayloadType, at path: String) -> Value {
    if case .optional(let inner) = type {
      return part.isNil ? .nil : check(part: part, inner, at: path)
    }
    guard case .record(let fields) = type, let given = part.recordValue else {
      return check(part, type, at: path)
    }
    var checked: [String: Value] = [:]
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      if let field = fields.field(named: name) {
        checked[name] = check(part: value, field.type, at: PayloadCheck.step(path, name))
      } else {
        refuseUnknown(name, given, fields, at: path)
      }
    }
    return .record(checked)
  }

  /// Returns the faults of one value of a payload.
  package mutating func faults(of value: Value, _ type: PayloadType, at path: String) -> [String] {
    depth = 1
    _ = check(value, type, at: path)
    return faults
  }

  /// Returns one value of a payload, which has no faults, with defaults filled in and whole numbers converted to
  /// integers.
  package mutating func filled(_ value: Value, _ type: PayloadType) -> Value {
    depth = 1
    return check(value, type, at: "")
  }

  private mutating func check(_ value: Value, _ type: PayloadType, at path: String) -> Value {
    switch type {
    case .optional(let inner): return value.isNil ? .nil : check(value, inner, at: path)
    case .any: return plain(value, at: path)
    case .boolean, .integer, .number, .oneOf, .string:
      if let accepted = PayloadCheck.accepted(value, type) {
        guard case .string(let pattern?, _, _, _) = type, case .string(let text) = value,
          !matches(text, pattern)
        else { return accepted }
      }
    case .listOf(let element, let min, let max, _):
      if let elements = value.listValue, PayloadCheck.isLength(elements.count, min, max) {
        depth += 1
        defer { depth -= 1 }
        return .list(
          elements.enumerated().map { checkElement($1, element, at: "\(path)[\($0 + 1)]") })
      }
    case .mapOf:
      depth += 1
      defer { depth -= 1 }
      if let checked = checkMap(value, type, at: path) { return checked }
    case .record(let fields):
      depth += 1
      defer { depth -= 1 }
      if let given = value.recordValue { return checkFields(given, fields, at: path) }
    }
    return refuse(value, type, at: path)
  }

  /// Returns the accepted form of a value of a type without parts; nil if it does not fit.
  ///
  /// Patterns are not checked.
  package static func accepted(_ value: Value, _ type: PayloadType) -> Value? {
    switch type {
    case .boolean: if case .boolean = value { return value }
    case .integer(let min, let max, _):
      if let integer = wholeNumber(value), isWithin(.integer(integer), min, max) {
        return .integer(integer)
      }
    case .number(let min, let max, _):
      if isFinite(value), isWithin(value, min, max) { return value }
    case .string(_, let min, let max, _):
      if case .string(let text) = value, isLength(of: text, min, max) { return value }
    case .oneOf(let values, _): return values.first { $0.isLuaEqual(to: value) }
    default: break
    }
    return nil
  }

  /// Checks an element of a list, which must not be nil, whatever its type allows.
  private mutating func checkElement(_ value: Value, _ type: PayloadType, at path: String) -> Value
  {
    value.isNil ? refuse(value, type, at: path) : check(value, type, at: path)
  }

  private mutating func refuse(_ value: Value, _ type: PayloadType, at path: String) -> Value {
    let what = path.isEmpty ? "the payload" : path
    faults.append(what + PayloadCheck.misfit(value, type))
    return .nil
  }

  /// The end of a sentence about a missing value of type `any`.
  private static let missing = " is missing"

  /// Returns the type and the value that was found, as the end of a sentence.
  package static func misfit(_ value: Value, _ type: PayloadType) -> String {
    if value.isNil, case .any = type { return missing }
    let found = value.isNil ? "but is missing" : "got \(type.hiding(value).text(limit: 60))"
    return " must be \(type.text), \(found)" + hint(value, type)
  }

  /// Returns a suggestion for a value that does not fit; empty if there is none.
  private static func hint(_ value: Value, _ type: PayloadType) -> String {
    if type.isSecret { return "" }
    switch (type, value) {
    case (.optional(let inner), _): return hint(value, inner)
    case (.integer, .number(let number)) where number.isFinite && number != number.rounded():
      return "; x // y gives a whole number"
    case (.oneOf(let values, _), .string(let text)):
      guard let name = Names.nearest(to: text, among: values.compactMap(\.stringValue)) else {
        return ""
      }
      return "; did you mean \(Value.quoted(name, limit: 60))?"
    default: return ""
    }
  }

  private mutating func checkFields(
    _ given: [String: Value], _ fields: [PayloadType.Field], at path: String
  ) -> Value {
    let isKnown = { name in fields.field(named: name) != nil }
    let values = fields.map { given[$0.name] }
    let known = values.count { $0 != nil }
    var unknown = known == given.count ? [] : given.keys.filter { !isKnown($0) }.sorted()[...]
    var checked = given  // mostly nothing in it has to change
    for index in fields.indices {
      let (field, found) = (fields[index], values[index])
      while let name = unknown.first, name < field.name {
        refuseUnknown(unknown.removeFirst(), given, fields, at: path)
      }
      var value = found ?? .nil
      if value.isNil, let standIn = field.type.defaultValue { value = standIn }
      let result = check(value, field.type, at: PayloadCheck.step(path, field.name))
      let kept = result.isNil ? nil : result
      if kept != found { checked[field.name] = kept }
    }
    for name in unknown { refuseUnknown(name, given, fields, at: path) }
    return .record(checked)
  }

  private static let mostSuggestions = 20

  private mutating func refuseUnknown(
    _ name: String, _ given: [String: Value], _ fields: [PayloadType.Field], at path: String
  ) {
    if given[name] == .nil { return }
    // A suggestion must search all fields, so only the first faults have one.
    let isOneOfMany = faults.count >= PayloadCheck.mostSuggestions
    let advice = isOneOfMany ? "" : Names.suggestion(for: name, among: fields.map(\.name))
    faults.append(
      isState
        ? "\(path) has no field \(name)\(advice)"
        : "\(PayloadCheck.step(path, name)) is not a field of this payload\(advice)")
  }

  private mutating func checkMap(
    _ value: Value, _ type: PayloadType, at path: String
  ) -> Value? {
    guard case .mapOf(let element, let key, let max, _) = type else { return nil }
    switch value {
    case .record, .list([]), .map([:]):
      let entries = value.recordValue ?? [:]
      guard PayloadCheck.isLength(entries.count, nil, max) else { return nil }
      if type.hasIntegerKeys, !entries.isEmpty { return nil }
      var checked: [String: Value] = [:]
      for name in entries.keys.sorted() {
        let here = PayloadCheck.step(path, key?.isSecret == true ? "•••" : name)
        if let key { _ = check(.string(name), key, at: "the key of \(here)") }
        checked[name] = check(entries[name] ?? .nil, element, at: here)
      }
      return .record(checked)
    case .list, .map:
      guard type.hasIntegerKeys else { return nil }
      var entries: [Int: Value] = [:]
      if case .map(let given) = value { entries = given }
      for (index, each) in (value.listValue ?? []).enumerated() { entries[index + 1] = each }
      guard PayloadCheck.isLength(entries.count, nil, max) else { return nil }
      var checked: [Int: Value] = [:]
      for number in entries.keys.sorted() {
        let here = "\(path)[\(key?.isSecret == true ? "•••" : "\(number)")]"
        if let key { _ = check(.integer(number), key, at: "the key of \(here)") }
        checked[number] = check(entries[number] ?? .nil, element, at: here)
      }
      return .map(checked)
    default: return nil
    }
  }

  /// Checks a value of type `any`, which may be any plain data.
  private mutating func plain(_ value: Value, at path: String) -> Value {
    if value.isNil {
      faults.append(path + PayloadCheck.missing)
    } else if !PayloadCheck.isPlain(value, within: deepest - depth),
      let fault = foreignPart(of: value, depth: depth)
    {
      faults.append("\(path) must be plain data, got \(fault)")
    }
    return value
  }

  /// Returns true if a value is plain data throughout, with at most this nesting depth of tables.
  package static func isPlain(_ value: Value, within tables: Int) -> Bool {
    switch value {
    case .number(let number): return !number.isNaN
    case .list(let elements):
      return tables > 0 && elements.allSatisfy { !$0.isNil && isPlain($0, within: tables - 1) }
    case .record(let fields):
      return tables > 0 && fields.values.allSatisfy { isPlain($0, within: tables - 1) }
    case .map(let entries):
      return tables > 0 && entries.values.allSatisfy { isPlain($0, within: tables - 1) }
    default: return true
    }
  }

  /// Returns the first part, in the order of the keys, that is not plain data.
  ///
  /// - Parameter depth: the number of tables around the value.
  private func foreignPart(of value: Value, depth: Int) -> String? {
    let parts: [Value]
    switch value {
    case .number(let number): return number.isNaN ? "NaN" : nil
    case .list(let elements):
      if elements.contains(where: \.isNil) { return "a list with holes" }
      parts = elements
    case .record(let fields): parts = fields.keys.sorted().map { fields[$0] ?? .nil }
    case .map(let entries): parts = entries.keys.sorted().map { entries[$0] ?? .nil }
    default: return nil
    }
    if depth >= deepest { return "values nested more than \(deepest) deep" }
    for part in parts {
      if let fault = foreignPart(of: part, depth: depth + 1) { return fault }
    }
    return nil
  }

  package static func wholeNumber(_ value: Value) -> Int? {
    switch value {
    case .integer(let integer): integer
    case .number(let number): Int(exactly: number)
    default: nil
    }
  }

  /// Returns true if the length of a text in Unicode scalars, which is at most that in bytes, is within the bounds.
  package static func isLength(of text: String, _ min: Int?, _ max: Int?) -> Bool {
    if min ?? 0 <= 0, text.utf8.count <= max ?? .max { return true }
    return isLength(text.unicodeScalars.count, min, max)
  }

  package static func isLength(_ count: Int, _ min: Int?, _ max: Int?) -> Bool {
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

  package static func step(_ path: String, _ name: String) -> String {
    if path.isEmpty { return name }
    return Value.isName(name) ? "\(path).\(name)" : path + Value.key(name)
  }
}
