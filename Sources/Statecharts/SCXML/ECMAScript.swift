/// A translator of the supported subset of ECMAScript to Lua.
///
/// The subset is literals, with arrays and objects, comparisons, `&&`, `||`, `!`, `?:`, `+ - * / %`, `in`, `typeof`,
/// `instanceof Array`, members, `In`, and calls of the methods and functions that `ECMAScriptWords` lists.
///
/// Operators and calls become calls of the functions in `ecmascript.lua`, which do what ECMAScript does. `null` is
/// `undefined`. Scripts may only assign values of expressions to variables and change arrays.
struct ECMAScript {
  /// The error for text outside the subset.
  struct Unknown: Error {
    enum Kind {
      case beyond
      /// It is not ECMAScript at all.
      case illegal
      /// It cannot be a plain text either, although it is not supported here.
      case refused
    }

    let reason: String
    var kind = Kind.beyond

    static let assignmentToLiteral = Unknown(
      reason: "a literal cannot be assigned", kind: .illegal)
  }

  /// A translated expression.
  struct Term {
    var lua: String
    var isBoolean = false
    /// The name of the variable, if the term is a variable.
    var name: String?
    /// The text, if the term is a string literal.
    var literal: String?
    /// The assignable location, if the term is a member.
    var place: String?
    /// The word `null` or `undefined`, which are one value in Lua, if the term is one of them.
    var nothing: String?
    /// True if the term is a call that changes an array, which may be a statement.
    var isCall = false
    var condition: String { isBoolean ? lua : "__truthy(\(lua))" }
  }

  /// The largest number of operators and members in an expression.
  private static let mostParts = 1_000

  var tokens: [Token] = []
  /// The line of each token, from 0.
  var lines: [Int] = []
  var at = 0
  private var depth = 0
  private var parts = 0
  /// True if there were only literals so far.
  var isConstant = true

  /// The description of the subset, for messages.
  static let extent =
    "literals, comparisons, && || ! ?:, + - * / %, in, typeof, members, In, and calls of common methods and functions"
  static let extentOfScripts =
    "assignments of such values to variables, and push, pop, shift and unshift"

  /// Translates a condition to a Lua expression that is true or false.
  static func condition(_ text: String) throws(Unknown) -> String {
    try whole(text).condition
  }

  /// Translates an expression to Lua in parentheses.
  static func value(_ text: String) throws(Unknown) -> String {
    "(\(try whole(text).lua))"
  }

  /// Translates a text that is a literal, such as JSON; returns nil for any other.
  ///
  /// Throws if the text is a literal that is not supported here, or too long to decide.
  static func literal(_ text: String) throws(Unknown) -> String? {
    var parser = ECMAScript()
    do throws(Unknown) {
      let term = try parser.parse(text)
      return parser.isConstant ? "(\(term.lua))" : nil
    } catch  where error.kind == .refused {
      throw error
    } catch {
      return nil
    }
  }

  /// Translates an assignable location, and returns it with the variable that contains it.
  static func location(_ text: String) throws(Unknown) -> (lua: String, root: String) {
    var parser = ECMAScript()
    try parser.split(text)
    guard case .name(let root) = parser.next, !reserved.contains(root) else {
      throw parser.unexpected
    }
    let place = try parser.place()
    guard parser.next == .end else { throw parser.unexpected }
    return (place, root)
  }

  /// Translates a script, and returns it with the variables that it assigns.
  static func script(_ text: String) throws(Unknown) -> (lua: String, roots: Set<String>) {
    var parser = ECMAScript()
    try parser.split(text, isScript: true)
    var (lua, line, roots): (String, Int, Set<String>) = ("", 0, [])
    while true {
      while parser.take(";") {}
      guard parser.next != .end else { break }
      lua += String(repeating: "\n", count: parser.lines[parser.at] - line)
      line = parser.lines[parser.at]
      if [.name("var"), .name("let"), .name("const")].contains(parser.next) { parser.at += 1 }
      let (statement, root) = try parser.assignment()
      lua += "\(statement) "
      roots.insert(root)
      guard parser.next == .end || parser.next == .sign(";") || parser.isFirstOfLine else {
        throw parser.unexpected
      }
    }
    return (lua, roots)
  }

  var isFirstOfLine: Bool { at > 0 && lines[at] > lines[at - 1] }

  private mutating func assignment() throws(Unknown) -> (lua: String, root: String) {
    let step = take("++") ? "+" : take("--") ? "-" : nil
    if next.isLiteral, tokens[at + 1] == .sign("=") { throw Unknown.assignmentToLiteral }
    guard case .name(let root) = next, !ECMAScript.reserved.contains(root) else { throw unexpected }
    let term = try members(isStatement: true)
    if term.isCall { return (term.lua, root) }
    let place = try place(of: term)
    let sign = step ?? (take("++") ? "+" : take("--") ? "-" : nil)
    if let sign {
      // A text is converted to a number first.
      return ("\(place) = __minus(\(place), \(sign == "+" ? "-1" : "1"))", root)
    }
    for (sign, operation) in [("+=", "+"), ("-=", "-"), ("*=", "*"), ("/=", "/")] where take(sign) {
      let joined = ECMAScript.join(Term(lua: place), operation, try choice())
      return ("\(place) = \(joined.lua)", root)
    }
    guard take("=") else {
      // A declaration without a value leaves the variable as it is.
      if tokens.indices.contains(at - 2), case .name(let word) = tokens[at - 2],
        ["var", "let"].contains(word)
      {
        return ("\(place) = \(place)", root)
      }
      throw unexpected
    }
    return ("\(place) = \(try choice().lua)", root)
  }

  private static func whole(_ text: String) throws(Unknown) -> Term {
    var parser = ECMAScript()
    return try parser.parse(text)
  }

  private mutating func parse(_ text: String) throws(Unknown) -> Term {
    try split(text)
    let term = try choice()
    guard next == .end else { throw unexpected }
    return term
  }

  // MARK: Expressions

  var next: Token { tokens[at] }

  var unexpected: Unknown {
    switch next {
    case .end: Unknown(reason: "it ends too early", kind: .illegal)
    case .number(let text), .name(let text), .sign(let text):
      Unknown(reason: "\(text) is unexpected there")
    case .text: Unknown(reason: "a string is unexpected there")
    }
  }

  mutating func take(_ sign: String) -> Bool {
    guard next == .sign(sign) else { return false }
    at += 1
    return true
  }

  private static let ranks = [
    "||": 1, "&&": 2, "==": 3, "!=": 3, "===": 3, "!==": 3, "<": 4, ">": 4, "<=": 4, ">=": 4,
    "in": 4, "instanceof": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
  ]

  /// Parses a conditional expression.
  mutating func choice() throws(Unknown) -> Term {
    let term = try expression(0)
    guard take("?") else { return term }
    isConstant = false
    depth += 1
    defer { depth -= 1 }
    guard depth <= 100 else { throw Unknown(reason: "it is nested too deeply") }
    try countPart()
    let first = try choice()
    guard take(":") else { throw unexpected }
    let second = try choice()
    return Term(
      lua:
        "__pick(\(term.condition), function() return \(first.lua) end, function() return \(second.lua) end)"
    )
  }

  /// The next operator and its precedence.
  private var operation: (sign: String, rank: Int)? {
    switch next {
    case .sign(let sign), .name(let sign): ECMAScript.ranks[sign].map { (sign, $0) }
    default: nil
    }
  }

  private mutating func expression(_ least: Int) throws(Unknown) -> Term {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 100 else { throw Unknown(reason: "it is nested too deeply") }
    var left = try unary()
    while let (sign, rank) = operation, rank > least {
      isConstant = false
      at += 1
      try countPart()
      if sign == "instanceof" {
        guard next == .name("Array") else { throw unexpected }
        at += 1
        left = Term(lua: "__is_array(\(left.lua))", isBoolean: true)
        continue
      }
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
    case "===", "!==":
      if let one = left.nothing, let other = right.nothing {
        Term(lua: "\((one == other) == (sign == "==="))", isBoolean: true)
      } else {
        Term(
          lua: "(\(left.lua) \(sign == "===" ? "==" : "~=") \(right.lua))", isBoolean: true)
      }
    case "==": Term(lua: "__equals(\(left.lua), \(right.lua))", isBoolean: true)
    case "!=": Term(lua: "(not __equals(\(left.lua), \(right.lua)))", isBoolean: true)
    case "<": Term(lua: "__less(\(left.lua), \(right.lua))", isBoolean: true)
    case ">": Term(lua: "__less(\(right.lua), \(left.lua))", isBoolean: true)
    case "<=": Term(lua: "__at_most(\(left.lua), \(right.lua))", isBoolean: true)
    case ">=": Term(lua: "__at_most(\(right.lua), \(left.lua))", isBoolean: true)
    case "in": Term(lua: "__has(\(left.lua), \(right.lua))", isBoolean: true)
    case "+": Term(lua: "__plus(\(left.lua), \(right.lua))")
    case "-": Term(lua: "__minus(\(left.lua), \(right.lua))")
    case "*": Term(lua: "__times(\(left.lua), \(right.lua))")
    case "/": Term(lua: "__over(\(left.lua), \(right.lua))")
    default: Term(lua: "__modulo(\(left.lua), \(right.lua))")
    }
  }

  mutating func countPart() throws(Unknown) {
    parts += 1
    guard parts <= ECMAScript.mostParts else {
      throw Unknown(reason: "it has more than \(ECMAScript.mostParts) parts")
    }
  }

  private mutating func unary() throws(Unknown) -> Term {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 100 else { throw Unknown(reason: "it is nested too deeply") }
    if next == .sign("!") { isConstant = false }
    if take("!") { return Term(lua: "(not \(try unary().condition))", isBoolean: true) }
    if take("-") {
      // Two minus signs would begin a comment.
      if case .number(let text) = next, text != "0" {
        let term = try members()
        return term.lua == ECMAScript.numeral(text)
          ? Term(lua: "(- \(term.lua))") : Term(lua: "__negate(\(term.lua))")
      }
      return Term(lua: "__negate(\(try unary().lua))")
    }
    if take("+") { return Term(lua: "__number(\(try unary().lua))") }
    if next == .name("typeof") {
      isConstant = false
      at += 1
      let term = try unary()
      if term.nothing == "null" { return Term(lua: "\"object\"") }
      // `typeof` is also allowed on a variable without a value.
      let value = term.name.map { "__named(\(LuaText.quoted($0)))" } ?? term.lua
      return Term(lua: "__kind(\(value))")
    }
    return try members()
  }

  private static let reserved: Set<String> = [
    "typeof", "new", "function", "void", "delete", "instanceof", "in", "this", "var", "let",
    "const", "true", "false", "null", "undefined", "In",
  ]

  mutating func primary() throws(Unknown) -> Term {
    switch next {
    case .number(let text):
      at += 1
      let numeral = ECMAScript.numeral(text)
      return Term(lua: next == .sign(".") || next == .sign("[") ? "(\(numeral))" : numeral)
    case .text(let text):
      at += 1
      return Term(lua: "(\(LuaText.quoted(text)))", literal: text)
    case .sign("("):
      at += 1
      let inside = try choice()
      guard take(")") else { throw unexpected }
      return Term(lua: "(\(inside.lua))", isBoolean: inside.isBoolean, nothing: inside.nothing)
    case .sign("["):
      at += 1
      return try array()
    case .sign("{"):
      at += 1
      return try object()
    case .name(let name):
      at += 1
      switch name {
      case "true", "false": return Term(lua: name, isBoolean: true)
      case "null", "undefined": return Term(lua: "nil", nothing: name)
      case "Infinity": return Term(lua: "(1/0)")
      case "NaN": return Term(lua: "(0/0)")
      default: isConstant = false
      }
      switch name {
      case "In":
        guard take("(") else { throw unexpected }
        let state = try expression(0)
        guard take(")") else { throw unexpected }
        return Term(lua: "In(\(state.lua))", isBoolean: true)
      case _ where next == .sign("(") && !ECMAScript.reserved.contains(name):
        guard ECMAScriptWords.functions.contains(name) else {
          throw Unknown(reason: ECMAScriptWords.otherCall)
        }
        at += 1
        return try invoke(name)
      case "Math" where next == .sign("."):
        if case .name(let constant) = tokens[at + 1], tokens[at + 2] != .sign("("),
          let value = ECMAScriptWords.constants[constant]
        {
          at += 2
          return Term(lua: value)
        }
        return Term(lua: "nil", name: name)
      case _ where ECMAScript.reserved.contains(name):
        throw Unknown(reason: "\(name) is not supported")
      default:
        // The name may be a reserved word of Lua.
        return Term(lua: "_ENV[\(LuaText.quoted(name))]", name: name)
      }
    default: throw unexpected
    }
  }
}
