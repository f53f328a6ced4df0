import LuaRuntime

/// Values as JSON text on one line, and back.
///
/// Unlike Foundation's coder it keeps integers and doubles apart (`1` and `1.0`), writes fields in
/// order, and reads a line at a time.
package enum JSONText {
  /// What is no JSON, and where in the line.
  package struct Malformed: Error, CustomStringConvertible {
    package let column: Int
    package let reason: String
    package var description: String { "column \(column): \(reason)" }
  }

  // MARK: Writing

  package static func text(_ value: Value) -> String {
    var text = ""
    write(value, to: &text)
    return text
  }

  private static func write(_ value: Value, to text: inout String) {
    switch value {
    case .nil: text += "null"
    case .boolean(let flag): text += flag ? "true" : "false"
    case .integer(let integer): text += String(integer)
    case .number(let number):
      text += number.isFinite ? Value.text(of: number) : "\"\(Value.text(of: number))\""
    case .string(let string): write(string, to: &text)
    case .list(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        write(element, to: &text)
      }
      text += "]"
    case .record(let fields):
      write(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, to: &text)
    case .map(let entries):
      write(entries.sorted { $0.key < $1.key }.map { (String($0.key), $0.value) }, to: &text)
    }
  }

  private static func write(_ fields: [(String, Value)], to text: inout String) {
    text += "{"
    for (index, field) in fields.enumerated() {
      if index > 0 { text += "," }
      write(field.0, to: &text)
      text += ":"
      write(field.1, to: &text)
    }
    text += "}"
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
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
    text += "\""
  }

  // MARK: Reading

  package static func value(of text: String) throws(Malformed) -> Value {
    var reader = Reader(bytes: Array(text.utf8))
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.isAtEnd else { throw reader.malformed("something follows the value") }
    return value
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position >= bytes.count }

    func malformed(_ reason: String) -> Malformed {
      Malformed(column: position + 1, reason: reason)
    }

    mutating func skipSpace() {
      while position < bytes.count, [32, 9, 10, 13].contains(bytes[position]) { position += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
      skipSpace()
      guard position < bytes.count, bytes[position] == byte else { return false }
      position += 1
      return true
    }

    mutating func word(_ word: String) -> Bool {
      guard bytes[position...].starts(with: word.utf8) else { return false }
      position += word.utf8.count
      return true
    }

    mutating func value(depth: Int) throws(Malformed) -> Value {
      skipSpace()
      guard depth <= ValueReader.deepest else {
        throw malformed("values are nested more than \(ValueReader.deepest) deep")
      }
      guard position < bytes.count else { throw malformed("the text ends too early") }
      switch bytes[position] {
      case UInt8(ascii: "\""): return .string(try string())
      case UInt8(ascii: "["): return try list(depth: depth)
      case UInt8(ascii: "{"): return try record(depth: depth)
      default:
        if word("null") { return .nil }
        if word("true") { return .boolean(true) }
        if word("false") { return .boolean(false) }
        return try number()
      }
    }

    private mutating func list(depth: Int) throws(Malformed) -> Value {
      position += 1
      var elements: [Value] = []
      if take(UInt8(ascii: "]")) { return .list([]) }
      repeat { elements.append(try value(depth: depth + 1)) } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "]")) else { throw malformed("a list ends with ]") }
      return .list(elements)
    }

    private mutating func record(depth: Int) throws(Malformed) -> Value {
      position += 1
      var fields: [String: Value] = [:]
      if take(UInt8(ascii: "}")) { return .record([:]) }
      repeat {
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
          throw malformed("a name in quotes was expected")
        }
        let name = try string()
        guard take(UInt8(ascii: ":")) else { throw malformed("a colon was expected") }
        fields[name] = try value(depth: depth + 1)
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw malformed("an object ends with }") }
      return .record(fields)
    }

    private mutating func number() throws(Malformed) -> Value {
      let start = position
      while position < bytes.count, "+-.eE0123456789".utf8.contains(bytes[position]) {
        position += 1
      }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      if let integer = Int(text) { return .integer(integer) }
      if let number = Double(text), text.utf8.first != UInt8(ascii: "+") { return .number(number) }
      position = start
      throw malformed("this is no value")
    }

    private mutating func string() throws(Malformed) -> String {
      position += 1
      var text: [UInt8] = []
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
        if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
      }
      throw malformed("a text ends with a quote")
    }

    private mutating func escape(into text: inout [UInt8]) throws(Malformed) {
      guard position < bytes.count else { throw malformed("the text ends too early") }
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "u"): try unicode(into: &text)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
      default: throw malformed("there is no such escape")
      }
    }

    private mutating func unit() throws(Malformed) -> UInt32 {
      guard position + 4 <= bytes.count,
        let unit = UInt32(
          String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
      else { throw malformed("four hexadecimal digits were expected") }
      position += 4
      return unit
    }

    private mutating func unicode(into text: inout [UInt8]) throws(Malformed) {
      var code = try unit()
      if (0xd800..<0xdc00).contains(code), bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        let low = try unit()
        code = 0x10000 + ((code - 0xd800) << 10) + (low &- 0xdc00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw malformed("half of a character") }
      text.append(contentsOf: String(Character(scalar)).utf8)
    }
  }
}
