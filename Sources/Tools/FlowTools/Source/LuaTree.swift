import LuaRuntime

/// The syntax tree of a Lua file.
///
/// Its nodes are in arrays in which the parts of a node come before the node. A pass in this order has seen all parts
/// when it reaches the whole, and needs no recursion, however deep the text is nested.
package struct LuaTree: Sendable {
  package typealias ExpressionID = Int
  package typealias StatementID = Int
  package typealias FunctionID = Int
  package typealias LocalID = Int

  package internal(set) var expressions: [Expression] = []
  package internal(set) var statements: [Statement] = []
  /// The functions in the order in which they begin; the first is the file.
  package internal(set) var functions: [Function] = []
  /// The locals and parameters in the order of declaration.
  package internal(set) var locals: [Local] = []

  package struct Expression: Sendable {
    package enum Kind: Sendable {
      case `nil`, `true`, `false`, vararg
      case number(String)
      case string(String)
      case local(LocalID)
      case global(String)
      /// `t.name`, `t["name"]`.
      case field(ExpressionID, String)
      case index(ExpressionID, ExpressionID)
      case call(ExpressionID, [ExpressionID])
      case method(ExpressionID, String, [ExpressionID])
      case function(FunctionID)
      case unary(String, ExpressionID)
      case binary(String, ExpressionID, ExpressionID)
      case parenthesised(ExpressionID)
      case table([Item])
    }

    package let kind: Kind
    /// The line of its last part: the name of a field, the bracket of a call.
    package let line: Int
    package let column: Int
    package let function: FunctionID
  }

  /// An item of a table constructor.
  package enum Item: Sendable {
    case positional(ExpressionID)
    case named(String, ExpressionID, line: Int)
    case keyed(ExpressionID, ExpressionID)

    package var value: ExpressionID {
      switch self {
      case .positional(let value), .named(_, let value, _), .keyed(_, let value): value
      }
    }
  }

  package struct Statement: Sendable {
    package indirect enum Kind: Sendable {
      case local([LocalID], [ExpressionID])
      case assignment([ExpressionID], [ExpressionID])
      case call(ExpressionID)
      /// `function a.b.c()` and `local function f()`, each with its target and the function.
      case function(ExpressionID, ExpressionID)
      case localFunction(LocalID, ExpressionID)
      case block([StatementID])
      case loop(condition: ExpressionID, [StatementID])
      case until([StatementID], condition: ExpressionID)
      case conditional([(condition: ExpressionID, block: [StatementID])], otherwise: [StatementID]?)
      case numericFor(LocalID, [ExpressionID], [StatementID])
      case genericFor([LocalID], [ExpressionID], [StatementID])
      case `return`([ExpressionID])
      case `break`
      case goto(String)
      case label(String)
    }

    package let kind: Kind
    package let line: Int
    package let function: FunctionID
  }

  package struct Function: Sendable {
    package let parent: FunctionID?
    package let line: Int
    package internal(set) var lastLine: Int
    package internal(set) var parameters: [LocalID] = []
    package internal(set) var isVariadic = false
    package internal(set) var body: [StatementID] = []
  }

  package struct Local: Sendable {
    package enum Origin: Sendable, Hashable {
      /// `local name = value`, with its own value; nil if it has none.
      case declared(ExpressionID?)
      case function(ExpressionID?)
      case parameter(Int)
      /// The implicit `self` of a method definition with a colon.
      case ownSelf
      case counter
      /// The index of a name in `for ... in`, and the expression of the loop.
      case element(Int, of: ExpressionID)
    }

    package let name: String
    package let line: Int
    package let column: Int
    package let function: FunctionID
    package internal(set) var origin: Origin
    package var attribute: String?
    /// The number of uses that may read it.
    package internal(set) var reads = 0
    package internal(set) var writes = 0
  }

  /// Returns the expression without the parentheses around it.
  package func bare(_ id: ExpressionID) -> ExpressionID {
    var id = id
    while case .parenthesised(let inner) = expressions[id].kind { id = inner }
    return id
  }

  /// Returns the text of an expression that is a string; nil for any other.
  package func string(_ id: ExpressionID) -> String? {
    if case .string(let text) = expressions[bare(id)].kind { text } else { nil }
  }

  /// Returns true if an expression is the word nil.
  package func isNil(_ id: ExpressionID) -> Bool {
    if case .nil = expressions[bare(id)].kind { true } else { false }
  }

  /// Returns true if one function is inside the other, or is the same.
  package func function(_ inner: FunctionID, isIn outer: FunctionID) -> Bool {
    var next: FunctionID? = inner
    while let function = next, function >= outer {
      if function == outer { return true }
      next = functions[function].parent
    }
    return false
  }

  /// Returns the innermost of a function and those around it that satisfies a condition.
  func enclosing(
    _ function: FunctionID, where isWanted: (FunctionID) -> Bool
  ) -> FunctionID? {
    var next: FunctionID? = function
    while let id = next {
      if isWanted(id) { return id }
      next = functions[id].parent
    }
    return nil
  }

  /// Parses a file; throws a syntax error if it is not valid Lua.
  package init(_ text: String) throws(LuaSyntaxError) {
    try self.init(LuaLexer(text))
  }

  init(_ lexer: LuaLexer) throws(LuaSyntaxError) {
    if let fault = lexer.fault { throw fault }
    var parser = LuaParser(lexer.tokens)
    try parser.parse()
    self = parser.tree
  }

  init() {}
}
