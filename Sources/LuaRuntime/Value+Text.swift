extension Value: CustomStringConvertible {
  /// The value as Lua source, on one line, fields sorted by name: what a message shows and what
  /// can be pasted into a script.
  public var description: String { text(limit: .max) }

  /// The value as Lua source of at most about `limit` characters; what is left out reads `...`.
  public func text(limit: Int) -> String {
    var text = ""
    write(to: &text, limit: limit)
    return text
  }

  private func write(to text: inout String, limit: Int) {
    guard text.utf8.count < limit else {
      text += "..."
      return
    }
    switch self {
    case .nil: text += "nil"
    case .boolean(let value): text += value ? "true" : "false"
    // The smallest one has no literal: what follows its minus would be a float.
    case .integer(let value): text += value == .min ? "math.mininteger" : String(value)
    case .number(let value): text += Value.text(of: value)
    case .string(let value): text += Value.quoted(value, limit: limit - text.utf8.count)
    case .list(let elements):
      text += "{"
      for (index, element) in elements.enumerated() {
        text += index == 0 ? " " : ", "
        guard text.utf8.count < limit else {
          text += "..."
          break
        }
        element.write(to: &text, limit: limit)
      }
      text += elements.isEmpty ? "}" : " }"
    case .record(let fields):
      Value.write(
        fields.sorted { $0.key < $1.key }.map { (Value.key($0.key), $0.value) }, to: &text,
        limit: limit)
    case .map(let entries):
      Value.write(
        entries.sorted { $0.key < $1.key }.map { ("[\($0.key)]", $0.value) }, to: &text,
        limit: limit)
    }
  }

  private static func write(
    _ fields: [(name: String, value: Value)], to text: inout String, limit: Int
  ) {
    text += "{"
    for (index, field) in fields.enumerated() {
      text += index == 0 ? " " : ", "
      guard text.utf8.count < limit else {
        text += "..."
        break
      }
      text += field.name + " = "
      field.value.write(to: &text, limit: limit)
    }
    text += fields.isEmpty ? "}" : " }"
  }

  /// A double as Lua prints it: always with a point, an exponent or a name.
  public static func text(of number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-math.huge" : "math.huge" }
    let text = String(number)
    return text.contains(where: { $0 == "." || $0 == "e" }) ? text : text + ".0"
  }

  /// A field's name as a table constructor takes it: `name`, or `["other name"]`.
  public static func key(_ name: String) -> String {
    isName(name) ? name : "[\(quoted(name, limit: .max))]"
  }

  /// Whether the text is a Lua name.
  public static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
    return !keywords.contains(text)
      && text.utf8.allSatisfy {
        $0 == 95 || (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
      }
  }

  private static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// The text in double quotes, with Lua's escapes.
  public static func quoted(_ text: String, limit: Int) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if quoted.utf8.count > limit {
        quoted += "..."
        break
      }
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      default:
        if scalar.value < 32 || scalar.value == 127 {
          let digits = String(scalar.value)
          quoted += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        } else {
          quoted.unicodeScalars.append(scalar)
        }
      }
    }
    return quoted + "\""
  }
}
