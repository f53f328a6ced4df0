extension Value: CustomStringConvertible {
  /// The value as Lua source on one line, with fields sorted by name.
  ///
  /// This is the text that messages show, and that can be pasted into a flow, a scenario or a prompt. An empty
  /// table of any kind is `{}`. NaN is `nan`, for which Lua has no literal.
  public var description: String { text(limit: .max) }

  /// The value as Lua source that evaluates to exactly this value, as far as Lua can express it.
  ///
  /// An empty list is `list {}`, and NaN is `0/0`.
  package var source: String {
    var writer = ValueTextWriter(limit: .max, isExact: true)
    writer.write(self)
    return writer.expression
  }

  /// Returns the value as Lua source of at most about `limit` characters; omitted parts read `...`.
  public func text(limit: Int) -> String {
    var writer = ValueTextWriter(limit: limit, isExact: false)
    writer.write(self)
    return writer.text
  }

  /// Returns a double as Lua prints it: always with a point, an exponent or a name.
  public static func text(of number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-math.huge" : "math.huge" }
    let text = String(number)
    return text.contains(where: { $0 == "." || $0 == "e" }) ? text : text + ".0"
  }

  /// Returns a field's name as a table constructor takes it: `name`, or `["other name"]`.
  public static func key(_ name: String) -> String {
    isName(name) ? name : "[\(quoted(name, limit: .max))]"
  }

  /// Returns true if the text is a Lua name.
  public static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
    return !keywords.contains(text)
      && text.utf8.allSatisfy {
        $0 == 95 || (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
      }
  }

  /// The reserved words of Lua, which are not names.
  package static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// Returns the text in double quotes, with Lua's escapes; after about `limit` bytes it ends with `...`.
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

/// A writer of values as Lua source on one line.
private struct ValueTextWriter {
  /// The maximum depth of tables in one expression; Lua's parser reads little more.
  private static let deepest = 40

  private let limit: Int
  private let isExact: Bool
  private(set) var text = ""
  /// The statements that create more deeply nested tables, such as `v[1] = { 1 }`, each before its first use.
  private var pieces: [String] = []

  init(limit: Int, isExact: Bool) { (self.limit, self.isExact) = (limit, isExact) }

  /// The written source, preceded by the statements that create more deeply nested tables.
  var expression: String {
    if pieces.isEmpty { return text }
    return "(function() local v = {}; \(pieces.joined(separator: "; ")); return \(text) end)()"
  }

  mutating func write(_ value: Value, depth: Int = 0) {
    guard text.utf8.count < limit else {
      text += "..."
      return
    }
    switch value {
    case .nil: text += "nil"
    case .boolean(let value): text += value ? "true" : "false"
    // The smallest integer has no literal: the digits after its minus sign would be a float.
    case .integer(let value): text += value == .min ? "math.mininteger" : String(value)
    case .number(let value): text += isExact && value.isNaN ? "0/0" : Value.text(of: value)
    case .string(let value): text += Value.quoted(value, limit: limit - text.utf8.count)
    case .list, .record, .map:
      if isExact && depth == ValueTextWriter.deepest {
        writeBefore(value)
      } else {
        writeTable(value, depth)
      }
    }
  }

  private mutating func writeBefore(_ value: Value) {
    var outer = ""
    swap(&outer, &text)
    writeTable(value, 0)
    pieces.append("v[\(pieces.count + 1)] = \(text)")
    text = outer + "v[\(pieces.count)]"
  }

  private mutating func writeTable(_ value: Value, _ depth: Int) {
    switch value {
    case .list(let elements):
      if isExact && elements.isEmpty { text += "list " }
      write(elements.lazy.map { ("", $0) }, depth)
    case .record(let fields):
      write(
        fields.sorted { $0.key < $1.key }.lazy.map { (Value.key($0.key) + " = ", $0.value) }, depth)
    case .map(let entries):
      // Without `map` Lua would read the table as a list, probably one with holes.
      if isExact || !entries.isEmpty { text += "map " }
      write(entries.sorted { $0.key < $1.key }.lazy.map { ("[\($0.key)] = ", $0.value) }, depth)
    default: break
    }
  }

  private mutating func write(_ parts: some Sequence<(name: String, value: Value)>, _ depth: Int) {
    text += "{"
    var separator = " "
    for part in parts {
      text += separator
      separator = ", "
      guard text.utf8.count < limit else {
        text += "..."
        break
      }
      text += part.name
      write(part.value, depth: depth + 1)
    }
    text += separator == " " ? "}" : " }"
  }
}
