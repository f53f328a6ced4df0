extension StatePath {
  /// Parses a path as reports print it, such as `rows[1].note` or `files["a.txt"]`.
  ///
  /// Returns nil for a text that is no path, and for a plain name.
  package init?(parsing text: String) {
    guard text.contains(where: { $0 == "." || $0 == "[" }) else { return nil }
    var rest = text[...]
    var keys: [Key] = []
    while !rest.isEmpty {
      guard let key = StatePath.takeKey(from: &rest, isFirst: keys.isEmpty) else { return nil }
      keys.append(key)
    }
    self.init(keys)
  }

  private static func takeKey(from rest: inout Substring, isFirst: Bool) -> Key? {
    if rest.utf8.starts(with: "[\"".utf8) {
      guard let (name, end) = quotedName(rest.utf8.dropFirst(2)) else { return nil }
      rest = rest[end...]
      return .field(name)
    }
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]"), let index = Int(rest.dropFirst()[..<end]) else {
        return nil
      }
      rest = rest[rest.index(after: end)...]
      return .index(index)
    }
    if rest.hasPrefix(".") != isFirst {
      if !isFirst { rest = rest.dropFirst() }
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard let first = name.first, !first.isNumber else { return nil }
      rest = rest[name.endIndex...]
      return .field(String(name))
    }
    return nil
  }

  /// Reads a name up to `"]`, with the escapes of `Value.quoted`, and returns it and the index that follows.
  private static func quotedName(_ text: Substring.UTF8View) -> (String, String.Index)? {
    var name: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\"") where rest.first == UInt8(ascii: "]"):
        return (String(decoding: name, as: UTF8.self), rest.dropFirst().startIndex)
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        switch escaped {
        case UInt8(ascii: "n"): name.append(10)
        case UInt8(ascii: "r"): name.append(13)
        case UInt8(ascii: "t"): name.append(9)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): name.append(escaped)
        default:
          let digits = [escaped] + rest.prefix(2)
          guard digits.count == 3, let code = UInt8(String(decoding: digits, as: UTF8.self)) else {
            return nil
          }
          rest = rest.dropFirst(2)
          name.append(code)
        }
      default: name.append(byte)
      }
    }
    return nil
  }

  package func starts(with prefix: StatePath) -> Bool { keys.starts(with: prefix.keys) }
}
