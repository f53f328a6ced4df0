/// Values as JSON text on one line, and back: what is written reads as the same value.
///
/// What JSON has no words for is said by names in brackets (`BracketedNames`). NaN is one number,
/// whatever its bits are.
///
/// It is our own because a library's loses what we need: Foundation's decoder reads `1.0` as an integer
/// and `-0.0` as 0, gives no line or column with what is wrong, and its encoder has no infinities. It
/// is slower too: a log of 10 MB takes 0.6 s here, 3.9 s with `JSONDecoder` and 0.7 s with
/// `JSONSerialization`, whose objects are not values yet, and for which all of Foundation is loaded
/// (5 ms at each start). The fuzzer compares the two.
package enum JSONText {
  /// What is no JSON, and where in the line.
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

  /// The column of the place that a path leads to in a text that has been read, or of the last one
  /// on the way there.
  package static func column(of path: StatePath, in text: Substring.UTF8View) -> Int {
    var reader = JSONReader(text)
    return reader.column(of: path)
  }

  // MARK: Writing

  /// So many tables may be inside each other, with something in each: one level less than any value is
  /// read with, for what a number takes in brackets.
  static let deepestTable = ValueReader.deepest - 1

  /// The value as text; what is nested more deeply than can be read is left out.
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

/// What JSON has no words for, said by the names of an object.
///
/// `{"[7]":"a"}` is a map with the integer key 7, `{"[]":null}` an empty one; `{"[math.huge]":null}`,
/// `{"[-math.huge]":null}` and `{"[nan]":null}` are numbers. A record of which all names look like
/// these is written with one more pair of brackets around each, and so read as what it was.
enum BracketedNames {
  package static let empty = "[]"

  private static let numbers: [String: Double] = [
    "math.huge": .infinity, "-math.huge": -.infinity, "nan": .nan,
  ]

  package static func name(of number: Double) -> String { "[\(Value.text(of: number))]" }

  /// Whether there are names, and all of them are such.
  static func areAll(_ names: some Collection<String>) -> Bool {
    !names.isEmpty && names.allSatisfy { parse($0) != nil }
  }

  /// What the fields of an object stand for.
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

  /// How many pairs of brackets a name has around an integer, one of the numbers or nothing; nil for
  /// any other name.
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
