extension Value: CustomStringConvertible {
  /// The value as Lua source, on one line, fields sorted by name: what a message shows and what
  /// can be pasted into a flow, a scenario or a prompt.
  ///
  /// An empty table of any kind is `{}` here, and NaN is `nan`, which Lua has no word for.
  public var description: String { text(limit: .max) }

  /// The value as Lua source that is read as this very value, as far as Lua can tell: an empty list is
  /// `list {}`, and NaN `0/0`.
  package var source: String {
    var writer = ValueTextWriter(limit: .max, isExact: true)
    writer.write(self)
    return writer.expression
  }

  /// The value as Lua source of at most about `limit` characters; what is left out reads `...`.
  public func text(limit: Int) -> String {
    var writer = ValueTextWriter(limit: limit, isExact: false)
    writer.write(self)
    return writer.text
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

  /// The words that are no names in Lua.
  package static let keywords: Set<String> = [
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

/// Writes a value as Lua source on one line.
private struct ValueTextWriter {
  /// So many tables stand inside each other in one expression: Lua's parser reads little more.
  private static let deepest = 40

  private let limit: Int
  private let isExact: Bool
  private(set) var text = ""
  /// Statements that make what stands deeper, `v[1] = { 1 }`, each before what it is a part of.
  private var pieces: [String] = []

  init(limit: Int, isExact: Bool) { (self.limit, self.isExact) = (limit, isExact) }

  /// What was written, with what stands deeper made before it.
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
    // The smallest one has no literal: what follows its minus would be a float.
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
      // Without the word Lua would take it for a list, with holes as like as not.
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
