/// The part of ECMAScript's expressions that Lua has too: literals, comparisons, `&&`, `||`, `!`, `+ - * / %`,
/// members and `In`.
///
/// What stands for both languages is decided as ECMAScript does: 0 and "" are false in conditions, and `+` joins
/// texts. `==` and `===` are one: a number is never equal to its text.
struct ECMAScript {
  /// What is beyond that.
  struct Unknown: Error { let reason: String }

  private enum Token: Equatable {
    case number(String), text(String), name(String), sign(String), end
  }

  /// What an expression is: whether it is a boolean whatever happens.
  private struct Term {
    var lua: String
    var isBoolean = false
    var condition: String { isBoolean ? lua : "__truthy(\(lua))" }
  }

  /// How many operators and members an expression may have.
  private static let mostParts = 1_000

  private var tokens: [Token] = []
  private var at = 0
  private var depth = 0
  private var parts = 0

  /// A condition as Lua, true or false.
  static func condition(_ text: String) throws(Unknown) -> String {
    try whole(text).condition
  }

  /// A value as Lua, between parentheses.
  static func value(_ text: String) throws(Unknown) -> String {
    "(\(try whole(text).lua))"
  }

  private static func whole(_ text: String) throws(Unknown) -> Term {
    var parser = ECMAScript()
    try parser.split(text)
    let term = try parser.expression(0)
    guard parser.next == .end else { throw parser.unexpected }
    return term
  }

  // MARK: Tokens

  private mutating func split(_ text: String) throws(Unknown) {
    var rest = Array(text.unicodeScalars)[...]
    while let first = rest.first {
      if first.properties.isWhitespace {
        rest.removeFirst()
      } else if first.isASCII,
        ("0"..."9").contains(first)
          || (first == "." && rest.dropFirst().first.map { ("0"..."9").contains($0) } == true)
      {
        tokens.append(.number(try ECMAScript.number(&rest)))
      } else if first == "\"" || first == "'" {
        tokens.append(.text(try ECMAScript.text(&rest)))
      } else if ECMAScript.isLetter(first) {
        var name = String.UnicodeScalarView()
        while let next = rest.first,
          ECMAScript.isLetter(next) || (next.isASCII && ("0"..."9").contains(next))
        {
          name.append(next)
          rest.removeFirst()
        }
        tokens.append(.name(String(name)))
      } else {
        let signs = [
          "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "%",
          "(", ")", ".", ",",
        ]
        let found = signs.first { rest.starts(with: Array($0.unicodeScalars)) }
        guard let sign = found else { throw Unknown(reason: "\(first) is not known here") }
        rest = rest.dropFirst(sign.unicodeScalars.count)
        if ["++", "--", "+=", "-=", "=>"].contains(where: {
          sign + String(rest.first.map { Character($0) } ?? " ") == $0
        }) {
          throw Unknown(reason: "it changes something")
        }
        tokens.append(.sign(sign))
      }
    }
    tokens.append(.end)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "$" || (scalar.isASCII && scalar.properties.isAlphabetic)
  }

  private static func number(_ rest: inout ArraySlice<Unicode.Scalar>) throws(Unknown) -> String {
    var text = ""
    while let next = rest.first, next.isASCII,
      next == "." || next.properties.isAlphabetic || ("0"..."9").contains(next)
        || ((next == "+" || next == "-") && text.last.map { "eE".contains($0) } == true
          && !text.lowercased().hasPrefix("0x"))
    {
      text.unicodeScalars.append(next)
      rest.removeFirst()
    }
    guard
      text.lowercased().hasPrefix("0x")
        ? Int(text.dropFirst(2), radix: 16) != nil : Double(text) != nil
    else {
      throw Unknown(reason: "\(text) is no number")
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
      case let plain? where !plain.properties.isAlphabetic && !("0"..."9").contains(plain):
        text.append(plain)
      default: throw Unknown(reason: "an escape in a text that is not known here")
      }
    }
    throw Unknown(reason: "a text that does not end")
  }

  // MARK: Expressions

  private var next: Token { tokens[at] }

  private var unexpected: Unknown {
    switch next {
    case .end: Unknown(reason: "it ends too soon")
    case .number(let text), .name(let text), .sign(let text):
      Unknown(reason: "\(text) is not expected there")
    case .text: Unknown(reason: "a text is not expected there")
    }
  }

  private mutating func take(_ sign: String) -> Bool {
    guard next == .sign(sign) else { return false }
    at += 1
    return true
  }

  private static let ranks = [
    "||": 1, "&&": 2, "==": 3, "!=": 3, "===": 3, "!==": 3, "<": 4, ">": 4, "<=": 4, ">=": 4,
    "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
  ]

  private mutating func expression(_ least: Int) throws(Unknown) -> Term {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 100 else { throw Unknown(reason: "it is nested too deeply") }
    var left = try unary()
    while case .sign(let sign) = next, let rank = ECMAScript.ranks[sign], rank > least {
      at += 1
      try countPart()
      let right = try expression(rank)
      left = ECMAScript.join(left, sign, right)
    }
    return left
  }

  private static func join(_ left: Term, _ sign: String, _ right: Term) -> Term {
    switch sign {
    case "&&" where left.isBoolean && right.isBoolean:
      Term(lua: "(\(left.lua) and \(right.lua))", isBoolean: true)
    case "||" where left.isBoolean && right.isBoolean:
      Term(lua: "(\(left.lua) or \(right.lua))", isBoolean: true)
    case "&&": Term(lua: "__both(\(left.lua), function() return \(right.lua) end)")
    case "||": Term(lua: "__either(\(left.lua), function() return \(right.lua) end)")
    case "==", "===": Term(lua: "(\(left.lua) == \(right.lua))", isBoolean: true)
    case "!=", "!==": Term(lua: "(\(left.lua) ~= \(right.lua))", isBoolean: true)
    case "<", ">", "<=", ">=": Term(lua: "(\(left.lua) \(sign) \(right.lua))", isBoolean: true)
    case "+": Term(lua: "__plus(\(left.lua), \(right.lua))")
    case "%": Term(lua: "math.fmod(\(left.lua), \(right.lua))")
    default: Term(lua: "(\(left.lua) \(sign) \(right.lua))")
    }
  }

  private mutating func countPart() throws(Unknown) {
    parts += 1
    guard parts <= ECMAScript.mostParts else {
      throw Unknown(reason: "it has more than \(ECMAScript.mostParts) parts")
    }
  }

  private mutating func unary() throws(Unknown) -> Term {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 100 else { throw Unknown(reason: "it is nested too deeply") }
    if take("!") { return Term(lua: "(not \(try unary().condition))", isBoolean: true) }
    // Two of these would begin a comment.
    if take("-") { return Term(lua: "(- \(try unary().lua))") }
    if take("+") { return try unary() }
    var term = try primary()
    while take(".") {
      try countPart()
      guard case .name(let name) = next else { throw unexpected }
      at += 1
      term = Term(lua: "\(term.lua)[\(LuaText.quoted(name))]")
    }
    if next == .sign("(") { throw Unknown(reason: "it calls a function other than In") }
    return term
  }

  private static let otherWords: Set<String> = [
    "typeof", "new", "function", "void", "delete", "instanceof", "in", "this", "var", "let",
    "const",
  ]

  private mutating func primary() throws(Unknown) -> Term {
    switch next {
    case .number(let text):
      at += 1
      return Term(lua: text)
    case .text(let text):
      at += 1
      return Term(lua: "(\(LuaText.quoted(text)))")
    case .sign("("):
      at += 1
      let inside = try expression(0)
      guard take(")") else { throw unexpected }
      return Term(lua: "(\(inside.lua))", isBoolean: inside.isBoolean)
    case .name(let name):
      if ECMAScript.otherWords.contains(name) { throw Unknown(reason: "\(name) is not known here") }
      at += 1
      switch name {
      case "true", "false": return Term(lua: name, isBoolean: true)
      case "null", "undefined": return Term(lua: "nil")
      case "In":
        guard take("(") else { throw unexpected }
        let state = try expression(0)
        guard take(")") else { throw unexpected }
        return Term(lua: "In(\(state.lua))", isBoolean: true)
      default:
        // A name may be a word of Lua's.
        return Term(lua: "_ENV[\(LuaText.quoted(name))]")
      }
    default: throw unexpected
    }
  }
}
