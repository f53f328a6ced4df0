import LuaRuntime

/// A parser of Lua 5.4, which accepts and rejects the same texts as liblua, except for the limit of registers.
///
/// It limits the nesting of statements and expressions as liblua does, so that no text overflows the stack.
struct LuaParser {
  private(set) var tokens: [LuaToken]
  private(set) var position = 0
  var tree = LuaTree()
  var names = LuaNames()
  private var level = 0

  /// The largest depth of nested statements and expressions.
  static let deepest = 198

  init(_ tokens: [LuaToken]) {
    self.tokens = tokens
  }

  mutating func parse() throws(LuaSyntaxError) {
    tree.functions.append(LuaTree.Function(parent: nil, line: 0, lastLine: tokens.last?.line ?? 1))
    tree.functions[0].isVariadic = true
    names.open(0)
    let body = try statements()
    guard position == tokens.count else { throw unexpected() }
    try close(body)
  }

  /// Ends the innermost function.
  mutating func close(_ body: [LuaTree.StatementID]) throws(LuaSyntaxError) {
    let function = names.function
    tree.functions[function].body = body
    if let line = position > 0 ? tokens[min(position, tokens.count) - 1].line : nil {
      tree.functions[function].lastLine = line
    }
    try names.close()
  }

  // MARK: Words

  var token: LuaToken? { position < tokens.count ? tokens[position] : nil }
  var line: Int { token?.line ?? tokens.last?.line ?? 1 }
  var function: LuaTree.FunctionID { names.function }

  func peek(_ offset: Int) -> LuaToken? {
    position + offset < tokens.count ? tokens[position + offset] : nil
  }

  func at(symbol text: String) -> Bool { token?.isSymbol(text) == true }
  func at(keyword text: String) -> Bool { token?.isKeyword(text) == true }

  mutating func advance() { position += 1 }

  mutating func accept(symbol text: String) -> Bool {
    guard at(symbol: text) else { return false }
    position += 1
    return true
  }

  mutating func accept(keyword text: String) -> Bool {
    guard at(keyword: text) else { return false }
    position += 1
    return true
  }

  mutating func expect(symbol text: String) throws(LuaSyntaxError) {
    guard accept(symbol: text) else { throw expected("'\(text)'") }
  }

  mutating func expect(keyword text: String, toClose opening: Int? = nil) throws(LuaSyntaxError) {
    guard accept(keyword: text) else {
      throw expected(opening.map { "'\(text)' (to close line \($0))" } ?? "'\(text)'")
    }
  }

  mutating func name() throws(LuaSyntaxError) -> LuaToken {
    guard let token, token.kind == .name else { throw expected("a name") }
    position += 1
    return token
  }

  // MARK: Faults

  func fault(_ message: String) -> LuaSyntaxError { LuaSyntaxError(message: message, line: line) }

  func expected(_ what: String) -> LuaSyntaxError { fault("\(what) expected near \(near)") }

  func unexpected() -> LuaSyntaxError { fault("unexpected symbol near \(near)") }

  private var near: String { token.map { "'\($0.text)'" } ?? "<eof>" }

  // MARK: Nesting

  mutating func enter() throws(LuaSyntaxError) {
    level += 1
    if level > LuaParser.deepest { throw fault("this is nested too deeply") }
  }

  mutating func leave() { level -= 1 }

  // MARK: Nodes

  mutating func add(
    _ kind: LuaTree.Expression.Kind, at token: LuaToken?
  ) -> LuaTree.ExpressionID {
    tree.expressions.append(
      LuaTree.Expression(
        kind: kind, line: token?.line ?? line, column: token?.column ?? 1, function: function))
    return tree.expressions.count - 1
  }

  mutating func add(_ kind: LuaTree.Statement.Kind, at line: Int) -> LuaTree.StatementID {
    tree.statements.append(LuaTree.Statement(kind: kind, line: line, function: function))
    return tree.statements.count - 1
  }

  mutating func declare(
    _ token: LuaToken, as origin: LuaTree.Local.Origin
  ) throws(LuaSyntaxError) -> LuaTree.LocalID {
    try declare(token.text, at: token, as: origin)
  }

  /// Declares a local, which is not in scope until `names.activate`.
  mutating func declare(
    _ name: String, at token: LuaToken?, as origin: LuaTree.Local.Origin
  ) throws(LuaSyntaxError) -> LuaTree.LocalID {
    tree.locals.append(
      LuaTree.Local(
        name: name, line: token?.line ?? line, column: token?.column ?? 1, function: function,
        origin: origin))
    guard names.declare() else { throw fault("too many local variables (limit is 200)") }
    return tree.locals.count - 1
  }

  /// Returns an expression for the local or global that a name refers to here.
  mutating func resolve(_ token: LuaToken) throws(LuaSyntaxError) -> LuaTree.ExpressionID {
    if let local = try find(token.text) {
      tree.locals[local].reads += 1
      return add(.local(local), at: token)
    }
    if let environment = try find("_ENV") {
      tree.locals[environment].reads += 1
      let table = add(.local(environment), at: token)
      return add(.field(table, token.text), at: token)
    }
    return add(.global(token.text), at: token)
  }

  private mutating func find(_ name: String) throws(LuaSyntaxError) -> LuaTree.LocalID? {
    let (found, fits) = names.find(name)
    guard fits else { throw fault("too many upvalues (limit is 255)") }
    return found
  }
}
