import FlowLanguage
import LuaRuntime

/// The LuaCATS classes of a flow's values, each written once.
struct DefinitionClasses {
  private let prefix: String
  private var taken: Set<String> = []
  /// The lines of the classes, in the order in which they were requested.
  private(set) var lines: [String] = []
  /// The classes of records by the structure of their types; equal structures share a class.
  private var structures: [String: String] = [:]
  /// The fields that machines add to the records of a type, by the structure of the type.
  private var machineFields: [String: [String]] = [:]

  init(prefix: String) { self.prefix = prefix }

  /// Returns a class name that is not in use.
  mutating func newName(_ parts: String...) -> String {
    let wanted = ([prefix] + parts.map(DefinitionClasses.word)).joined(separator: ".")
    var name = wanted
    var number = 2
    while !taken.insert(name).inserted {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }

  /// Returns a name as a part of a class's name: letters, digits and `_`.
  static func word(_ name: String) -> String {
    String(
      name.unicodeScalars.map { scalar in
        scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
          || scalar == "_" ? Character(scalar) : "_"
      })
  }

  /// Returns a field in LuaCATS notation: `name?`, or `["T02 Check"]?`.
  static func field(_ name: String, isOptional: Bool = false) -> String {
    Value.key(name) + (isOptional ? "?" : "")
  }

  mutating func add(
    _ name: String, comment: String? = nil, fields: [String], isExact: Bool = true
  ) {
    if !lines.isEmpty { lines.append("") }
    if let comment { lines.append("---\(comment)") }
    lines.append("---@class \(isExact ? "(exact) " : "")\(name)")
    lines += fields.map { "---@field \($0)" }
  }

  // MARK: Payloads

  /// Returns the class of a record of fields, or the name of another type.
  mutating func type(_ type: PayloadType, _ name: String) -> String {
    switch type {
    case .boolean: return "boolean"
    case .integer: return "integer"
    case .number: return "number"
    case .string: return "string"
    case .any: return "any"
    case .oneOf(let values, _):
      return values.isEmpty ? "any" : values.map(DefinitionClasses.literal).joined(separator: "|")
    case .listOf(let element, _, _, _):
      return "(\(self.type(element, name + ".element")))[]"
    case .mapOf(let element, let key, _, _):
      let key = key.map { self.type($0, name + ".key") } ?? "string"
      return "table<\(key), \(self.type(element, name + ".element"))>"
    case .optional(let inner): return self.type(inner, name)
    case .record(let fields):
      guard !fields.isEmpty else { return "{}" }
      let structure = type.structure
      if let known = structures[structure] { return known }
      structures[structure] = name
      addRecord(fields, name, comment: nil, isRead: true, more: machineFields[structure] ?? [])
      return name
    }
  }

  /// Records the fields that a machine adds to the records of a type.
  mutating func add(_ fields: [String], toRecordsOf type: PayloadType) {
    machineFields[type.structure, default: []] += fields
  }

  /// - Parameter isRead: true if a field with a default is always present.
  mutating func addRecord(
    _ fields: [PayloadType.Field], _ name: String, comment: String?, isRead: Bool = false,
    more: [String] = []
  ) {
    let described = fields.map { field in
      let type = self.type(
        field.type, "\(name).\(DefinitionClasses.word(field.name))")
      var text = field.type.text
      if let value = field.type.defaultValue.map(field.type.hiding) {
        text += "; \(value.text(limit: 80)) if it is missing"
      }
      let isOptional = isRead ? field.type.isOptional : field.type.mayBeMissing
      return "\(DefinitionClasses.field(field.name, isOptional: isOptional)) \(type) "
        + DefinitionClasses.line(text)
    }
    add(name, comment: comment, fields: described + more)
  }

  /// Returns the type of a literal value; only texts, integers and booleans have one of their own.
  private static func literal(_ value: Value) -> String {
    switch value {
    case .string(let text) where !text.contains("\n"): Value.quoted(text, limit: .max)
    case .integer(let integer): String(integer)
    case .boolean(let flag): String(flag)
    default: typeName(value)
    }
  }

  /// Returns the type of a value that a view returned.
  static func typeName(_ value: Value) -> String {
    switch value {
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .nil: "any"
    case .list(let elements):
      Set(elements.map(typeName)).count == 1 ? "(\(typeName(elements[0])))[]" : "any[]"
    case .record(let fields):
      fields.isEmpty
        ? "table"
        : "{ "
          + fields.sorted { $0.key < $1.key }.map { "\(field($0.key)): \(typeName($0.value))" }
          .joined(separator: ", ") + " }"
    case .map: "table<integer, any>"
    }
  }

  // MARK: The state

  mutating func type(_ shape: StateShape, _ name: String) -> String {
    switch shape {
    case .boolean: return "boolean"
    case .integer: return "integer"
    case .number: return "number"
    case .string: return "string"
    case .none, .any: return "any"
    case .list(let elements): return "(\(union(elements, name)))[]"
    case .map(let elements): return "table<string|integer, \(union(elements, name))>"
    case .record(let fields):
      guard !fields.isEmpty else { return "table" }
      let described = fields.sorted { $0.key < $1.key }.map { field, shape in
        self.field(field, shape, "\(name).\(DefinitionClasses.word(field))")
      }
      add(name, fields: described)
      return name
    }
  }

  /// Returns a field of a closed record; one declared `none` may be nil.
  mutating func field(_ field: String, _ shape: StateShape, _ name: String) -> String {
    DefinitionClasses.field(field, isOptional: shape == .none) + " \(type(shape, name))"
  }

  /// Returns a field of the state that has a declared type, or a part with one.
  mutating func field(
    _ field: String, _ shape: StateShape, _ place: StateTypes.Place?, _ name: String
  ) -> String {
    switch (place, shape) {
    case (.typed(let type), _):
      return DefinitionClasses.field(field, isOptional: type.isOptional)
        + " \(self.type(type, name)) \(DefinitionClasses.line(type.text))"
    case (.record(let places), .record(let fields)):
      let described = fields.sorted { $0.key < $1.key }.map { inner, shape in
        self.field(inner, shape, places[inner], "\(name).\(DefinitionClasses.word(inner))")
      }
      add(name, fields: described)
      return DefinitionClasses.field(field) + " \(name)"
    default: return self.field(field, shape, name)
    }
  }

  /// Returns the type of a list's elements; records below a list are open, so they are tables.
  private mutating func union(_ elements: [StateShape], _ name: String) -> String {
    var types: Set<String> = []
    for element in elements {
      if case .record = element { types.insert("table") } else { types.insert(type(element, name)) }
    }
    return types.isEmpty ? "any" : types.sorted().joined(separator: "|")
  }

  /// Returns a text on one line, for the description of a field.
  static func line(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}

extension PayloadType {
  /// The parts of the type that restrict values, without examples; equal for equal types.
  fileprivate var structure: String {
    let own = "\(text);\(defaultValue?.description ?? "");\(isSecret)"
    return switch self {
    case .listOf(let element, _, _, _): "[\(own) \(element.structure)]"
    case .mapOf(let element, let key, _, _):
      "<\(own) \(key?.structure ?? "") \(element.structure)>"
    case .optional(let inner): "?\(inner.structure)"
    case .record(let fields):
      "{" + fields.map { "\(Value.key($0.name))=\($0.type.structure)" }.joined(separator: " ") + "}"
    default: "(\(own))"
    }
  }
}
