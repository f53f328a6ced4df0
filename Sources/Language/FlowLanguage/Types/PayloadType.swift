import LuaRuntime

/// The type of a payload field, or of a whole payload (a record of fields).
package indirect enum PayloadType: Sendable {
  case boolean(Common)
  case integer(min: Value?, max: Value?, Common)
  case number(min: Value?, max: Value?, Common)
  case string(pattern: String?, minLength: Int?, maxLength: Int?, Common)
  case any(Common)
  case oneOf([Value], Common)
  case listOf(PayloadType, minLength: Int?, maxLength: Int?, Common)
  case mapOf(PayloadType, key: PayloadType?, maxLength: Int?, Common)
  case optional(PayloadType)
  /// A record, with fields sorted by name.
  case record([Field])

  package struct Field: Sendable {
    package let name: String
    package let type: PayloadType

    package init(name: String, type: PayloadType) { (self.name, self.type) = (name, type) }
  }

  /// The properties that most types may have.
  package struct Common: Sendable {
    package var defaultValue: Value?
    package var samples: [Value]
    /// True if the values are never shown.
    package var isSecret: Bool

    package init(defaultValue: Value?, samples: [Value], isSecret: Bool = false) {
      (self.defaultValue, self.samples, self.isSecret) = (defaultValue, samples, isSecret)
    }
  }

  /// Reads the prelude's description of an action's fields.
  package init(describing fields: Value) {
    self = .record(
      (fields.recordValue ?? [:]).sorted { $0.key < $1.key }
        .map { Field(name: $0.key, type: PayloadType(type: $0.value)) })
  }

  /// Reads the prelude's description of a type.
  package init(type: Value) {
    let common = Common(
      defaultValue: type["default"], samples: type["samples"]?.listValue ?? [],
      isSecret: type["secret"] == true)
    let part = { (name: String) in
      let part = PayloadType(type: type[name] ?? .nil)
      return common.isSecret ? part.secretThroughout : part
    }
    let element = { part("element") }
    switch type["kind"]?.stringValue {
    case "boolean": self = .boolean(common)
    case "integer": self = .integer(min: type["min"], max: type["max"], common)
    case "number": self = .number(min: type["min"], max: type["max"], common)
    case "string":
      self = .string(
        pattern: type["pattern"]?.stringValue, minLength: type["min_length"]?.integerValue,
        maxLength: type["max_length"]?.integerValue, common)
    case "one_of": self = .oneOf(type["values"]?.listValue ?? [], common)
    case "list_of":
      self = .listOf(
        element(), minLength: type["min_length"]?.integerValue,
        maxLength: type["max_length"]?.integerValue, common)
    case "map_of":
      self = .mapOf(
        element(), key: type["key"].map { _ in part("key") },
        maxLength: type["max_length"]?.integerValue, common)
    case "optional": self = .optional(element())
    case "record": self = PayloadType(describing: type["fields"] ?? .nil)
    default: self = .any(common)
    }
  }

  /// True if maps of this type have integer keys; otherwise the keys are texts.
  package var hasIntegerKeys: Bool {
    guard case .mapOf(_, let key?, _, _) = withoutOptional else { return false }
    switch key {
    case .integer: return true
    case .oneOf(let values, _): return values.first?.integerValue != nil
    default: return false
    }
  }

  /// Throws for a table with integer keys that are not 1 to n, unless its type decides if it is a map.
  ///
  /// - Parameter paths: the paths to such tables in a value of this type, each after the number of the value.
  package func requireMaps(at paths: [[ValueKey]]) throws(ListWithHoles) {
    for path in paths {
      let place = path.dropFirst().reduce(Optional(self)) { $0?.part(at: StatePath.Key($1)) }
      guard place?.saysWhetherMap == true else { throw ListWithHoles(at: path) }
    }
  }

  /// True if the type accepts a table with any integer keys as a map, or refuses it.
  var saysWhetherMap: Bool {
    switch withoutOptional {
    case .any, .listOf, .optional: false
    default: true
    }
  }

  /// The value that replaces a missing one; nil if the type has none.
  package var defaultValue: Value? {
    if case .optional(let type) = self { return type.defaultValue }
    return common?.defaultValue
  }

  /// The common properties of the type; nil for `optional` and for records.
  package var common: Common? {
    switch self {
    case .boolean(let common), .any(let common), .oneOf(_, let common),
      .integer(_, _, let common), .number(_, _, let common), .string(_, _, _, let common),
      .listOf(_, _, _, let common), .mapOf(_, _, _, let common):
      common
    case .optional, .record: nil
    }
  }

  /// True if a field of this type may be missing.
  package var isOptional: Bool {
    if case .optional = self { return true }
    return false
  }

  /// True if a payload may omit a field of this type.
  package var mayBeMissing: Bool { isOptional || defaultValue != nil }

  /// The names of the fields that a payload must have.
  package var requiredNames: [String] {
    fields.filter { !$0.type.mayBeMissing }.map(\.name)
  }

  /// The names of the fields that every checked payload has.
  var presentNames: [String] {
    fields.filter { !$0.type.isOptional || $0.type.defaultValue != nil }.map(\.name)
  }

  package var fieldNames: [String] { fields.map(\.name) }

  /// Returns the type of a field of a payload; nil if there is no such field.
  package func type(ofField name: String) -> PayloadType? { fields.field(named: name)?.type }

  private var fields: [Field] {
    if case .record(let fields) = self { return fields }
    return []
  }

  /// The type in messages, such as `an integer of at least 1`.
  package var text: String {
    switch self {
    case .boolean: "a boolean"
    case .integer(let min, let max, _): "an integer" + PayloadType.range(min, max)
    case .number(let min, let max, _): "a number" + PayloadType.range(min, max)
    case .string(let pattern, let min, let max, _):
      "a string" + (pattern.map { " that matches \(Value.quoted($0, limit: 80))" } ?? "")
        + PayloadType.length(min, max, "character", "characters")
    case .any: "any value"
    case .oneOf(let values, _): "one of " + values.map(\.description).joined(separator: ", ")
    case .listOf(let element, let min, let max, _):
      "a list"
        + (min == nil && max == nil
          ? " of \(element.plural)"
          : PayloadType.length(min, max, element.withoutArticle, element.plural))
    case .mapOf(let element, let key, let max, _):
      "a map" + (key.map { " from \($0.plural)" } ?? "") + " to \(element.plural)"
        + PayloadType.length(nil, max, "entry", "entries")
    case .optional(let type): type.text
    case .record(let fields):
      fields.isEmpty
        ? "a record without fields" : "a record of " + fields.map(\.name).joined(separator: ", ")
    }
  }

  private var plural: String {
    switch self {
    case .boolean: "booleans"
    case .integer: "integers"
    case .number: "numbers"
    case .string: "strings"
    case .any: "any values"
    case .oneOf: "values that are \(text)"
    case .listOf: "lists"
    case .mapOf: "maps"
    case .optional(let type): type.plural
    case .record: "records"
    }
  }

  private static func range(_ min: Value?, _ max: Value?) -> String {
    switch (min, max) {
    case (let min?, let max?): " from \(min) to \(max)"
    case (let min?, nil): " of at least \(min)"
    case (nil, let max?): " of at most \(max)"
    case (nil, nil): ""
    }
  }

  /// The name of one value of the type among others, without an article.
  private var withoutArticle: String {
    switch self {
    case .any: "value"
    case .oneOf: "value that is \(text)"
    case .optional(let type): type.withoutArticle
    default: String(plural.dropLast())
    }
  }

  private static func length(
    _ min: Int?, _ max: Int?, _ unit: String, _ units: String
  ) -> String {
    switch (min, max) {
    case (let min?, let max?): " of \(min) to \(max) \(units)"
    case (let min?, nil): " of at least \(min) \(min == 1 ? unit : units)"
    case (nil, let max?): " of at most \(max) \(max == 1 ? unit : units)"
    case (nil, nil): ""
    }
  }
}

extension [PayloadType.Field] {
  /// Returns the field of that name by binary search, because fields are sorted by name.
  package func field(named name: String) -> PayloadType.Field? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].name == name ? self[low] : nil
  }
}

extension PayloadType {
  package var takesNothing: Bool {
    if case .record(let fields) = self { return fields.isEmpty }
    return false
  }
}
