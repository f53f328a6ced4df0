import LuaRuntime

/// The grammar of expressions, from the loosest operator to the tightest.
extension LuaParser {
  typealias ExpressionID = LuaTree.ExpressionID

  /// The left and right binding power of the operators.
  private static let operators: [String: (left: Int, right: Int)] = [
    "or": (1, 1), "and": (2, 2), "<": (3, 3), ">": (3, 3), "<=": (3, 3), ">=": (3, 3),
    "~=": (3, 3), "==": (3, 3), "|": (4, 4), "~": (5, 5), "&": (6, 6), "<<": (7, 7),
    ">>": (7, 7), "..": (9, 8), "+": (10, 10), "-": (10, 10), "*": (11, 11), "/": (11, 11),
    "//": (11, 11), "%": (11, 11), "^": (14, 13),
  ]
  private static let unaryStrength = 12

  mutating func expression() throws(LuaSyntaxError) -> ExpressionID { try expression(above: 0) }

  mutating func expressions() throws(LuaSyntaxError) -> [ExpressionID] {
    var list = [try expression()]
    while accept(symbol: ",") { list.append(try expression()) }
    return list
  }

  private mutating func expression(above limit: Int) throws(LuaSyntaxError) -> ExpressionID {
    try enter()
    var left: ExpressionID
    if let token, isUnary(token) {
      advance()
      let operand = try expression(above: LuaParser.unaryStrength)
      left = add(.unary(token.text, operand), at: token)
    } else {
      left = try simpleExpression()
    }
    while let token, token.kind == .symbol || token.kind == .keyword,
      let strength = LuaParser.operators[token.text], strength.left > limit
    {
      advance()
      let right = try expression(above: strength.right)
      left = add(.binary(token.text, left, right), at: token)
    }
    leave()
    return left
  }

  private func isUnary(_ token: LuaToken) -> Bool {
    token.isKeyword("not") || token.isSymbol("-") || token.isSymbol("~") || token.isSymbol("#")
  }

  private mutating func simpleExpression() throws(LuaSyntaxError) -> ExpressionID {
    guard let token else { throw unexpected() }
    switch (token.kind, token.text) {
    case (.number, let text):
      advance()
      return add(.number(text), at: token)
    case (.string, let text):
      advance()
      return add(.string(text), at: token)
    case (.keyword, "nil"):
      advance()
      return add(.nil, at: token)
    case (.keyword, "true"):
      advance()
      return add(.true, at: token)
    case (.keyword, "false"):
      advance()
      return add(.false, at: token)
    case (.keyword, "function"):
      advance()
      return try functionBody(line: token.line, hasSelf: false, at: token)
    case (.symbol, "..."):
      guard tree.functions[function].isVariadic else {
        throw fault("cannot use '...' outside a vararg function")
      }
      advance()
      return add(.vararg, at: token)
    case (.symbol, "{"): return try table()
    default: return try suffixedExpression()
    }
  }

  private mutating func primaryExpression() throws(LuaSyntaxError) -> ExpressionID {
    guard let token else { throw unexpected() }
    if token.kind == .name {
      advance()
      return try resolve(token)
    }
    guard accept(symbol: "(") else { throw unexpected() }
    let inner = try expression()
    try expect(symbol: ")")
    return add(.parenthesised(inner), at: token)
  }

  mutating func suffixedExpression() throws(LuaSyntaxError) -> ExpressionID {
    var result = try primaryExpression()
    while let token {
      switch (token.kind, token.text) {
      case (.symbol, "."):
        advance()
        let name = try name()
        result = add(.field(result, name.text), at: name)
      case (.symbol, "["):
        advance()
        let key = try expression()
        try expect(symbol: "]")
        if let name = tree.string(key) {
          result = add(.field(result, name), at: token)
        } else {
          result = add(.index(result, key), at: token)
        }
      case (.symbol, ":"):
        advance()
        let name = try name()
        let arguments = try arguments()
        result = add(.method(result, name.text, arguments), at: name)
      case (.symbol, "("), (.symbol, "{"), (.string, _):
        let arguments = try arguments()
        result = add(.call(result, arguments), at: token)
      default: return result
      }
    }
    return result
  }

  private mutating func arguments() throws(LuaSyntaxError) -> [ExpressionID] {
    guard let token else { throw expected("function arguments") }
    if token.kind == .string {
      advance()
      return [add(.string(token.text), at: token)]
    }
    if token.isSymbol("{") { return [try table()] }
    guard accept(symbol: "(") else { throw expected("function arguments") }
    if accept(symbol: ")") { return [] }
    let list = try expressions()
    try expect(symbol: ")")
    return list
  }

  // MARK: Tables

  private mutating func table() throws(LuaSyntaxError) -> ExpressionID {
    let opening = token
    try expect(symbol: "{")
    var items: [LuaTree.Item] = []
    while !at(symbol: "}") {
      items.append(try item())
      if !accept(symbol: ",") && !accept(symbol: ";") { break }
    }
    try expect(symbol: "}")
    return add(.table(items), at: opening)
  }

  private mutating func item() throws(LuaSyntaxError) -> LuaTree.Item {
    if let token, token.kind == .name, peek(1)?.isSymbol("=") == true {
      advance()
      advance()
      return .named(token.text, try expression(), line: token.line)
    }
    let line = line
    guard accept(symbol: "[") else { return .positional(try expression()) }
    let key = try expression()
    try expect(symbol: "]")
    try expect(symbol: "=")
    let value = try expression()
    if let name = tree.string(key) { return .named(name, value, line: line) }
    return .keyed(key, value)
  }

  // MARK: Functions

  /// Parses parameters and body, from the opening parenthesis on.
  mutating func functionBody(
    line: Int, hasSelf: Bool, at token: LuaToken?
  ) throws(LuaSyntaxError) -> ExpressionID {
    let number = tree.functions.count
    tree.functions.append(LuaTree.Function(parent: function, line: line, lastLine: line))
    names.open(number)
    if hasSelf { names.activate("self", try declare("self", at: token, as: .ownSelf)) }
    try expect(symbol: "(")
    try parameters(of: number, behind: hasSelf ? 1 : 0)
    try expect(symbol: ")")
    let body = try statements()
    try expect(keyword: "end", toClose: line)
    try close(body)
    return add(.function(number), at: token)
  }

  private mutating func parameters(
    of number: LuaTree.FunctionID, behind first: Int
  ) throws(LuaSyntaxError) {
    guard !at(symbol: ")") else { return }
    repeat {
      if accept(symbol: "...") {
        tree.functions[number].isVariadic = true
        break
      }
      let place = first + tree.functions[number].parameters.count
      let parameter = try declare(try name(), as: .parameter(place))
      tree.functions[number].parameters.append(parameter)
    } while accept(symbol: ",")
    for parameter in tree.functions[number].parameters {
      names.activate(tree.locals[parameter].name, parameter)
    }
  }
}
