/// A writer and a reader of values as JSON on one line, which read back as the same value.
///
/// Values that JSON cannot express are written with names in brackets (`BracketedNames`). All NaNs are one number,
/// whatever their bits.
///
/// It is our own because libraries lose data that we need: Foundation's decoder reads `1.0` as an integer and
/// `-0.0` as 0, its errors have no line or column, and its encoder has no infinities. It is also slower: a log of
/// 10 MB takes 0.6 s here, 3.9 s with `JSONDecoder` and 0.7 s with `JSONSerialization`, whose objects are not
/// values yet, and which loads all of Foundation (5 ms at each start). The fuzzer compares the two.
package enum JSONText {
  /// An error in a JSON text, with its position in the line.
  package struct Malformed: Error, CustomStringConvertible {
    /// The byte, counted from 1.
    package let column: Int
    package let reason: String
    package var description: String { "column \(column): \(reason)" }
  }

  // MARK: Reading

  package static func value(of text: String) throws(Malformed) -> Value {
    try value(of: text[...].utf8)
  }

  package static func value(of text: Substring.UTF8View) throws(Malformed) -> Value {
    var reader = JSONReader(text)
    return try reader.whole()
  }

  /// Returns the column of the value at a path in a valid text, or of the last value on the way to it.
  package static func column(of path: StatePath, in text: Substring.UTF8View) -> Int {
    var reader = JSONReader(text)
    return reader.column(of: path)
  }

  // MARK: Writing

  /// The maximum depth of tables that are not empty.
  ///
  /// It is one level less than `ValueReader.deepest`, because a number in brackets takes a level.
  static let deepestTable = ValueReader.deepest - 1

  /// Returns the value as JSON; tables nested more deeply than can be read are written empty.
  package static func text(_ value: Value) -> String {
    var text = ""
    write(value, to: &text, depth: 0)
    return text
  }

  private static func write(_ value: Value, to text: inout String, depth: Int) {
    let isCut = depth >= deepestTable
    switch value {
    case .nil: text += "null"
    case .boolean(let flag): text += flag ? "true" : "false"
    case .integer(let integer): text += String(integer)
    case .number(let number):
      if number.isFinite {
        text += Value.text(of: number)
      } else {
        write([(BracketedNames.name(of: number), .nil)], to: &text, depth)
      }
    case .string(let string): write(string, to: &text)
    case .map(let entries) where entries.isEmpty:
      write([(BracketedNames.empty, .nil)], to: &text, depth)
    case .list where isCut: text += "[]"
    case .record where isCut, .map where isCut: text += "{}"
    case .list(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        write(element, to: &text, depth: depth + 1)
      }
      text += "]"
    case .record(let fields):
      let bracket = BracketedNames.areAll(fields.keys)
      write(
        fields.sorted { $0.key < $1.key }.map { (bracket ? "[\($0.key)]" : $0.key, $0.value) },
        to: &text, depth)
    case .map(let entries):
      write(
        entries.sorted { $0.key < $1.key }.map { ("[\($0.key)]", $0.value) }, to: &text, depth)
    }
  }

  private static func write(_ fields: [(String, Value)], to text: inout String, _ depth: Int) {
    text += "{"
    for (index, field) in fields.enumerated() {
      if index > 0 { text += "," }
      write(field.0, to: &text)
      text += ":"
      write(field.1, to: &text, depth: depth + 1)
    }
    text += "}"
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    if string.utf8.allSatisfy({ $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    {
      text += string
    } else {
      for scalar in string.unicodeScalars { write(scalar, to: &text) }
    }
    text += "\""
  }

  private static func write(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar {
    case "\"": text += "\\\""
    case "\\": text += "\\\\"
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    case "\t": text += "\\t"
    default:
      if scalar.value < 32 {
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

/// Values that JSON cannot express, written as objects whose names are in brackets.
///
/// `{"[7]":"a"}` is a map with the integer key 7, and `{"[]":null}` is an empty map. `{"[math.huge]":null}`,
/// `{"[-math.huge]":null}` and `{"[nan]":null}` are numbers. A record whose names all look like these is written
/// with one more pair of brackets around each name, so that it reads back as a record.
enum BracketedNames {
  package static let empty = "[]"

  private static let numbers: [String: Double] = [
    "math.huge": .infinity, "-math.huge": -.infinity, "nan": .nan,
  ]

  package static func name(of number: Double) -> String { "[\(Value.text(of: number))]" }

  /// Returns true if there are names, and all of them are in brackets.
  static func areAll(_ names: some Collection<String>) -> Bool {
    !names.isEmpty && names.allSatisfy { parse($0) != nil }
  }

  /// Returns the value that the fields of an object stand for.
  package static func value(_ fields: [String: Value]) -> Value {
    var pairs: Set<Int> = []
    var contents: [(String, Value)] = []
    for (name, value) in fields {
      guard let parsed = parse(name) else { return .record(fields) }
      pairs.insert(min(parsed.pairs, 2))
      contents.append(
        (parsed.pairs == 1 ? parsed.content : String(name.dropFirst().dropLast()), value))
    }
    if pairs == [2] { return .record(Dictionary(contents, uniquingKeysWith: { $1 })) }
    guard pairs == [1] else { return .record(fields) }
    if contents.count == 1, contents[0].1.isNil {
      if contents[0].0.isEmpty { return .map([:]) }
      if let number = numbers[contents[0].0] { return .number(number) }
    }
    var entries: [Int: Value] = [:]
    for (content, value) in contents {
      guard let key = Int(content) else { return .record(fields) }
      entries[key] = value
    }
    return .map(entries)
  }

  /// Returns the number of bracket pairs around an integer, a special number or nothing; nil for any other name.
  private static func parse(_ name: String) -> (pairs: Int, content: String)? {
    let bytes = name.utf8
    guard bytes.first == UInt8(ascii: "[") else { return nil }
    let pairs = bytes.prefix { $0 == UInt8(ascii: "[") }.count
    guard bytes.count >= 2 * pairs, bytes.suffix(pairs).allSatisfy({ $0 == UInt8(ascii: "]") }),
      let content = String(bytes.dropFirst(pairs).dropLast(pairs))
    else { return nil }
    guard content.isEmpty || numbers[content] != nil || Int(content).map(String.init) == content
    else { return nil }
    return (pairs, content)
  }
}
