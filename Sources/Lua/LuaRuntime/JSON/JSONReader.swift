/// A reader of one JSON text (RFC 8259).
///
/// A number without a point or an exponent is read as an integer if it fits into one. A number beyond the range of
/// doubles, an unpaired surrogate, and values nested too deeply are errors.
struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: Substring.UTF8View) { bytes = Array(text) }

  package mutating func whole() throws(JSONText.Malformed) -> Value {
    let value = try value(depth: 0)
    skipSpace()
    if position < bytes.count { throw malformed("unexpected text after the value") }
    return value
  }

  private func malformed(_ reason: String) -> JSONText.Malformed {
    JSONText.Malformed(column: position + 1, reason: reason)
  }

  // MARK: Bytes

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte, byte == 32 || byte == 10 || byte == 13 || byte == 9 { position += 1 }
  }

  private mutating func consume(_ wanted: Unicode.Scalar) -> Bool {
    skipSpace()
    guard byte == UInt8(ascii: wanted) else { return false }
    position += 1
    return true
  }

  private mutating func consume(word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard bytes.count - position >= length else { return false }
    for offset in 0..<length where bytes[position + offset] != word.utf8Start[offset] {
      return false
    }
    position += length
    return true
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(JSONText.Malformed) -> Value {
    skipSpace()
    guard depth <= ValueReader.deepest else { throw tooDeep }
    switch byte {
    case nil: throw malformed("the text ends before the value does")
    case UInt8(ascii: "\"")?: return .string(try string())
    case UInt8(ascii: "[")?: return try list(depth: depth)
    case UInt8(ascii: "{")?: return try record(depth: depth)
    default:
      if consume(word: "null") { return .nil }
      if consume(word: "true") { return .boolean(true) }
      if consume(word: "false") { return .boolean(false) }
      return try number()
    }
  }

  private mutating func list(depth: Int) throws(JSONText.Malformed) -> Value {
    let start = position
    var elements: [Value] = []
    try eachElement { (reader) throws(JSONText.Malformed) in
      elements.append(try reader.value(depth: depth + 1))
    }
    return try nested(.list(elements), depth, from: start)
  }

  private mutating func record(depth: Int) throws(JSONText.Malformed) -> Value {
    let start = position
    var fields: [String: Value] = [:]
    try eachField { (reader, name) throws(JSONText.Malformed) in
      let value = try reader.value(depth: depth + 1)
      if fields.updateValue(value, forKey: name) != nil {
        throw reader.malformed(
          "the name \(Value.quoted(name, limit: 60)) occurs twice in an object")
      }
    }
    return try nested(BracketedNames.value(fields), depth, from: start)
  }

  /// Throws for a table at the maximum depth that is not empty, since `JSONText` could not write it.
  private mutating func nested(
    _ value: Value, _ depth: Int, from start: Int
  ) throws(JSONText.Malformed) -> Value {
    guard depth >= JSONText.deepestTable, value.holdsSomething else { return value }
    position = start
    throw tooDeep
  }

  private var tooDeep: JSONText.Malformed {
    malformed("values are nested more than \(JSONText.deepestTable) deep")
  }

  private mutating func eachElement(
    _ read: (inout JSONReader) throws(JSONText.Malformed) -> Void
  ) throws(JSONText.Malformed) {
    position += 1
    if consume("]") { return }
    repeat { try read(&self) } while consume(",")
    guard consume("]") else { throw malformed("expected , or ] in the list") }
  }

  private mutating func eachField(
    _ read: (inout JSONReader, String) throws(JSONText.Malformed) -> Void
  ) throws(JSONText.Malformed) {
    position += 1
    if consume("}") { return }
    repeat {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { throw malformed("expected a name in quotes") }
      let name = try string()
      guard consume(":") else { throw malformed("expected a colon") }
      try read(&self, name)
    } while consume(",")
    guard consume("}") else { throw malformed("expected , or } in the object") }
  }

  // MARK: Numbers

  private mutating func number() throws(JSONText.Malformed) -> Value {
    let start = position
    guard takeNumber() else {
      position = start
      throw malformed("this is not a JSON value")
    }
    guard let value = OutsideNumber.value(String(decoding: bytes[start..<position], as: UTF8.self))
    else {
      position = start
      throw malformed("this number is too large")
    }
    return value
  }

  /// Skips a number of the JSON grammar, and returns true if there was one.
  private mutating func takeNumber() -> Bool {
    if byte == UInt8(ascii: "-") { position += 1 }
    if byte == UInt8(ascii: "0") { position += 1 } else if takeDigits() == 0 { return false }
    if byte == UInt8(ascii: ".") {
      position += 1
      if takeDigits() == 0 { return false }
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      if takeDigits() == 0 { return false }
    }
    // Text that continues like a number is an error: 01, 1.2.3.
    return byte.map { !"+-.eE0123456789".utf8.contains($0) } ?? true
  }

  private mutating func takeDigits() -> Int {
    let start = position
    while let byte, byte >= 48, byte <= 57 { position += 1 }
    return position - start
  }

  // MARK: Texts

  private mutating func string() throws(JSONText.Malformed) -> String {
    position += 1
    var start = position
    var text: [UInt8] = []
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        defer { position += 1 }
        if text.isEmpty { return String(decoding: bytes[start..<position], as: UTF8.self) }
        text += bytes[start..<position]
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text += bytes[start..<position]
        try escape(into: &text)
        start = position
      default: position += 1
      }
    }
    throw malformed("the string has no closing quote")
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONText.Malformed) {
    guard position + 1 < bytes.count else {
      position = bytes.count
      throw malformed("the text ends before the value does")
    }
    let byte = bytes[position + 1]
    switch byte {
    case UInt8(ascii: "n"): text.append(10)
    case UInt8(ascii: "r"): text.append(13)
    case UInt8(ascii: "t"): text.append(9)
    case UInt8(ascii: "b"): text.append(8)
    case UInt8(ascii: "f"): text.append(12)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "u"):
      text.append(contentsOf: String(try scalar()).utf8)
      return
    default: throw malformed("unknown escape sequence")
    }
    position += 2
  }

  /// Reads the character of one escape, or of a surrogate pair.
  private mutating func scalar() throws(JSONText.Malformed) -> Unicode.Scalar {
    let start = position
    let unit = try self.unit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if UTF16.isLeadSurrogate(unit), consume(word: "\\u") {
      position -= 2
      let low = try self.unit()
      let code = 0x10000 + (UInt32(unit) & 0x3ff) << 10 + UInt32(low) & 0x3ff
      if UTF16.isTrailSurrogate(low), let scalar = Unicode.Scalar(code) { return scalar }
    }
    position = start
    throw malformed("half of a surrogate pair")
  }

  /// Reads the code unit of an escape such as `\u0041`.
  private mutating func unit() throws(JSONText.Malformed) -> UInt16 {
    position += 2
    var unit: UInt16 = 0
    for place in position..<position + 4 {
      guard place < bytes.count, let digit = JSONReader.digit(bytes[place]) else {
        throw malformed("expected four hexadecimal digits")
      }
      unit = unit << 4 | digit
    }
    position += 4
    return unit
  }

  private static func digit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case 48...57: UInt16(byte) - 48
    case 65...70: UInt16(byte) - 55
    case 97...102: UInt16(byte) - 87
    default: nil
    }
  }

  // MARK: Places

  /// Returns the column of the value at a path; used only for messages.
  package mutating func column(of path: StatePath) -> Int {
    skipSpace()
    for key in path.keys {
      guard let next = place(of: key) else { break }
      position = next
    }
    return position + 1
  }

  /// Returns the position of the value under a key of the object or list at the current position.
  ///
  /// Of equal names the last one counts.
  private func place(of key: StatePath.Key) -> Int? {
    var reader = self
    var found: Int?
    var index = 0
    func look(_ reader: inout JSONReader, _ isThere: Bool) throws(JSONText.Malformed) {
      reader.skipSpace()
      if isThere { found = reader.position }
      _ = try reader.value(depth: 0)
    }
    do {
      if byte == UInt8(ascii: "{") {
        try reader.eachField { (reader, name) throws(JSONText.Malformed) in
          try look(&reader, key == .field(name))
        }
      } else if byte == UInt8(ascii: "[") {
        try reader.eachElement { (reader) throws(JSONText.Malformed) in
          index += 1
          try look(&reader, key == .index(index))
        }
      }
    } catch {
      // The text has been read before: nothing is wrong with it.
    }
    return found
  }
}
