import LuaRuntime

/// JSON for servers that know nothing of flows: keys of maps are texts, and there are no names in brackets.
enum WireJSON {
  /// Returns a value as JSON.
  ///
  /// - Throws: an error for a number that JSON does not have.
  static func text(_ value: Value) throws(CallFault) -> String {
    var text = ""
    try write(value, to: &text)
    return text
  }

  private static func write(_ value: Value, to text: inout String) throws(CallFault) {
    switch value {
    case .nil, .boolean, .integer, .string: text += JSONText.text(value)
    case .number(let number):
      guard number.isFinite else { throw CallFault("JSON has no number \(value)") }
      text += JSONText.text(value)
    case .list(let elements):
      var separator = "["
      for element in elements {
        text += separator
        separator = ","
        try write(element, to: &text)
      }
      text += elements.isEmpty ? "[]" : "]"
    case .record(let fields):
      let sorted = fields.sorted { $0.key < $1.key }
      try writeObject(sorted.map { (name: $0.key, value: $0.value) }, to: &text)
    case .map(let entries):
      let sorted = entries.sorted { $0.key < $1.key }
      try writeObject(sorted.map { (name: String($0.key), value: $0.value) }, to: &text)
    }
  }

  private static func writeObject(
    _ fields: [(name: String, value: Value)], to text: inout String
  ) throws(CallFault) {
    var separator = "{"
    for field in fields {
      text += separator + JSONText.text(.string(field.name)) + ":"
      separator = ","
      try write(field.value, to: &text)
    }
    text += fields.isEmpty ? "{}" : "}"
  }
}
