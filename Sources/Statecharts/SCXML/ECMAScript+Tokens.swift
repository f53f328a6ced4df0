/// The lexer for ECMAScript.
extension ECMAScript {
  enum Token: Equatable {
    case number(String), text(String), name(String), sign(String), end

    var isLiteral: Bool {
      switch self {
      case .number, .text: true
      default: false
      }
    }

    /// A string literal as a name, which it is before the colon of a field.
    var asName: Token { if case .text(let text) = self { .name(text) } else { self } }
  }

  /// The largest number of tokens in a text.
  static let mostTokens = 500_000

  private static let changing = ["++", "--", "+=", "-=", "*=", "/="]
  private static let ofScripts = ["=", ";"]
  /// All signs by the first character, the longest first.
  private static let signs = Dictionary(
    grouping: [
      "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "%",
      "(", ")", ".", ",", "[", "]", "{", "}", "?", ":",
    ] + changing + ofScripts,
    by: { $0.first ?? " " }
  ).mapValues { signs in signs.sorted { $0.count > $1.count } }

  mutating func split(_ text: String, isScript: Bool = false) throws(Unknown) {
    var (rest, line) = (Array(text.unicodeScalars)[...], 0)
    while true {
      try ECMAScript.skipBlanks(&rest, &line, isScript: isScript)
      lines.append(line)
      guard let first = rest.first else { break }
      guard tokens.count < ECMAScript.mostTokens else {
        throw Unknown(reason: "it has more than \(ECMAScript.mostTokens) tokens", kind: .refused)
      }
      if ECMAScript.isDigit(first)
        || (first == "." && rest.dropFirst().first.map(ECMAScript.isDigit) == true)
      {
        tokens.append(.number(try ECMAScript.number(&rest)))
      } else if first == "\"" || first == "'" {
        tokens.append(.text(try ECMAScript.text(&rest)))
      } else if ECMAScript.isLetter(first) {
        let name = rest.prefix { ECMAScript.isLetter($0) || ECMAScript.isDigit($0) }
        rest = rest.dropFirst(name.count)
        tokens.append(.name(ECMAScript.string(name)))
      } else {
        tokens.append(.sign(try sign(&rest, isScript: isScript)))
      }
    }
    tokens.append(.end)
  }

  private func sign(
    _ rest: inout ArraySlice<Unicode.Scalar>, isScript: Bool
  ) throws(Unknown) -> String {
    let first = rest.first ?? " "
    let found = ECMAScript.signs[Character(first)]?.first {
      rest.starts(with: $0.unicodeScalars) && (isScript || !ECMAScript.ofScripts.contains($0))
    }
    guard let found else {
      if first == "=", tokens.last?.isLiteral == true { throw Unknown.assignmentToLiteral }
      throw Unknown(reason: "\(first) is not supported")
    }
    if !isScript, ECMAScript.changing.contains(found) {
      throw Unknown(reason: "it changes a value, which only a script can do")
    }
    rest = rest.dropFirst(found.unicodeScalars.count)
    return found
  }

  private static func skipBlanks(
    _ rest: inout ArraySlice<Unicode.Scalar>, _ line: inout Int, isScript: Bool
  ) throws(Unknown) {
    while let first = rest.first {
      if first.properties.isWhitespace {
        if first == "\n" { line += 1 }
        rest = rest.dropFirst()
      } else if isScript, rest.starts(with: ["/", "/"]) {
        rest = rest.drop { $0 != "\n" }
      } else if isScript, rest.starts(with: ["/", "*"]) {
        rest = rest.dropFirst(2)
        while !rest.starts(with: ["*", "/"]) {
          guard let next = rest.popFirst() else {
            throw Unknown(reason: "an unfinished comment", kind: .illegal)
          }
          if next == "\n" { line += 1 }
        }
        rest = rest.dropFirst(2)
      } else {
        return
      }
    }
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "$" || (scalar.isASCII && scalar.properties.isAlphabetic)
  }

  private static func number(_ rest: inout ArraySlice<Unicode.Scalar>) throws(Unknown) -> String {
    var text = ""
    while let next = rest.first, next.isASCII,
      next == "." && !text.contains(".") || next.properties.isAlphabetic
        || ("0"..."9").contains(next)
        || ((next == "+" || next == "-") && text.last.map { "eE".contains($0) } == true
          && !text.lowercased().hasPrefix("0x")),
      text.utf8.count < 400
    {
      text.unicodeScalars.append(next)
      rest.removeFirst()
    }
    let isHex = text.lowercased().hasPrefix("0x")
    // A number that begins with 0 is octal, which is rejected.
    let isOctal = text.first == "0" && text.dropFirst().first.map { "0"..."9" ~= $0 } == true
    guard !isOctal, isHex ? Int(text.dropFirst(2), radix: 16) != nil : Double(text) != nil else {
      throw Unknown(reason: "\(text) is not a number")
    }
    return text
  }

  private static func text(_ rest: inout ArraySlice<Unicode.Scalar>) throws(Unknown) -> String {
    let quote = rest.removeFirst()
    var text = String.UnicodeScalarView()
    while let next = rest.popFirst() {
      if next == quote { return String(text) }
      guard next == "\\" else {
        text.append(next)
        continue
      }
      switch rest.popFirst() {
      case "n"?: text.append("\n")
      case "t"?: text.append("\t")
      case "r"?: text.append("\r")
      case "b"?: text.append("\u{8}")
      case "f"?: text.append("\u{C}")
      case "u"?: text.append(try escaped(&rest))
      case let plain? where !plain.properties.isAlphabetic && !("0"..."9").contains(plain):
        text.append(plain)
      default: throw Unknown(reason: "an unsupported escape in a string")
      }
    }
    throw Unknown(reason: "an unfinished string", kind: .illegal)
  }

  /// Parses the rest of an escape after `\u`: four digits, or two such escapes for a surrogate pair.
  private static func escaped(
    _ rest: inout ArraySlice<Unicode.Scalar>
  ) throws(Unknown) -> Unicode.Scalar {
    var units: [UInt16] = []
    repeat {
      if !units.isEmpty {
        guard rest.starts(with: ["\\", "u"]) else { break }
        rest = rest.dropFirst(2)
      }
      guard let unit = UInt16(string(rest.prefix(4)), radix: 16), rest.count >= 4 else { break }
      rest = rest.dropFirst(4)
      units.append(unit)
    } while units.count == 1 && UTF16.isLeadSurrogate(units[0])
    var decoder = UTF16()
    var source = units.makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&source) else {
      throw Unknown(reason: "an unsupported escape in a string")
    }
    return scalar
  }
}
