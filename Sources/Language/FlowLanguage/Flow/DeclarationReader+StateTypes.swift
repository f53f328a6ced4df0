import LuaRuntime

/// Checks of the types in `state { ... }`, which must have initial values or be optional.
extension DeclarationReader {
  mutating func readStateTypes() -> [StateTypes.Declared] {
    entries("typed").compactMap { entry in
      let path = (entry["path"]?.listValue ?? []).compactMap(\.stringValue)
      let keys = path.map { StatePath.Key.field($0) }
      let declared = StateTypes.Declared(
        path: path, type: PayloadType(type: entry["type"] ?? .nil),
        place: lines.place(of: keys, in: "state", at: place(entry)))
      check(declared.type, declared.title, at: declared.place, isPart: false)
      return declared
    }
  }

  /// - Parameter isPart: true for the type of elements, which scripts put there whole and which need no initial
  ///   value.
  private mutating func check(
    _ type: PayloadType, _ title: String, at place: SourcePlace, isPart: Bool
  ) {
    switch type {
    case .optional(let inner):
      if inner.defaultValue != nil {
        fault(
          place,
          "\(title): an optional type cannot have a default, because a missing value is none; "
            + "leave one of them out")
      }
      check(inner, title, at: place, isPart: true)
    case .listOf(let element, _, _, _):
      expectBeginning(type, title, at: place, isPart: isPart)
      check(element, title + "[]", at: place, isPart: true)
    case .mapOf(let element, _, _, _): check(element, title + "[]", at: place, isPart: true)
    case .record(let fields):
      for field in fields {
        check(field.type, PayloadCheck.step(title, field.name), at: place, isPart: isPart)
      }
    default: expectBeginning(type, title, at: place, isPart: isPart)
    }
  }

  private mutating func expectBeginning(
    _ type: PayloadType, _ title: String, at place: SourcePlace, isPart: Bool
  ) {
    if isPart || type.beginning != nil { return }
    let word = type.word
    var (written, inside) = (word, type.hasConstraints ? "..., " : "")
    if !inside.isEmpty { written = "\(word) { ... }" }
    if case .oneOf(let values, _) = type {
      inside = values.map { $0.text(limit: 40) + ", " }.joined()
      written = "one_of { \(inside.dropLast(2)) }"
    }
    fault(
      place,
      "\(title): \(word) has no initial value; write \(word) { \(inside)default = "
        + "\(type.example?.text(limit: 60) ?? "...") } or optional(\(written))")
  }
}

extension PayloadType {
  /// The word that declares the type.
  fileprivate var word: String {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .any: "any"
    case .oneOf: "one_of"
    case .listOf: "list_of"
    case .mapOf: "map_of"
    case .optional: "optional"
    case .record: "a record"
    }
  }

  /// A default that fits the type; nil if none is known.
  fileprivate var example: Value? {
    switch self {
    case .integer(nil, nil, _), .number(nil, nil, _): 0
    case .boolean: false
    case .string(nil, nil, _, _), .any: ""
    default: sample
    }
  }

  /// True if the type has constraints.
  fileprivate var hasConstraints: Bool {
    switch self {
    case .integer(let min, let max, _), .number(let min, let max, _): min != nil || max != nil
    case .string(let pattern, let min, let max, _): pattern != nil || min != nil || max != nil
    case .listOf, .mapOf: true
    default: false
    }
  }
}
