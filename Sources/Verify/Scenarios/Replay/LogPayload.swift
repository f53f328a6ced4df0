import FlowLanguage
import LuaRuntime

/// The payload of an action, made from the columns that are named like its fields.
struct LogPayload {
  let fields: [(field: PayloadType.Field, column: LogColumn)]

  init(_ type: PayloadType, _ column: (String) throws -> LogColumn?) rethrows {
    guard case .record(let declared) = type else {
      fields = []
      return
    }
    fields = try declared.compactMap { field in try column(field.name).map { (field, $0) } }
  }

  /// Returns the payload of a row that is an object: the fields with these names, as they are.
  func payload(of fields: [String: Value]) -> Value {
    var payload: [String: Value] = [:]
    for (field, column) in self.fields {
      guard let value = fields[column.name], !value.isNil else { continue }
      payload[field.name] = field.type.reading(json: value)
    }
    return .record(payload)
  }

  /// Returns the payload of cells in the order of the fields; an empty cell is a missing field.
  func payload(of cells: some Sequence<some Collection<UInt8>>) -> Value {
    var payload: [String: Value] = [:]
    for ((field, _), cell) in zip(fields, cells) where !cell.isEmpty {
      payload[field.name] = LogPayload.value(String(decoding: cell, as: UTF8.self), field.type)
    }
    return .record(payload)
  }

  /// Returns the text of a cell as a value of the type.
  ///
  /// A text that does not fit stays a text, so that the dispatch reports it.
  static func value(_ text: String, _ type: PayloadType) -> Value {
    switch type {
    case .string, .any: .string(text)
    case .boolean: boolean(text) ?? .string(text)
    case .integer, .number: OutsideNumber.value(text) ?? .string(text)
    case .oneOf(let values, _): values.first { stands($0, for: text) } ?? .string(text)
    case .optional(let inner): value(text, inner)
    case .listOf, .mapOf, .record:
      (try? JSONText.value(of: text)).map(type.reading) ?? .string(text)
    }
  }

  private static func boolean(_ text: String) -> Value? {
    switch text.lowercased() {
    case "true": .boolean(true)
    case "false": .boolean(false)
    default: nil
    }
  }

  private static func stands(_ value: Value, for text: String) -> Bool {
    switch value {
    case .string(let string): string == text
    case .boolean: boolean(text) == value
    case .integer(let integer): Double(text) == Double(integer)
    case .number(let number): Double(text) == number
    default: false
    }
  }
}
