/// The functions of a file that it calls itself by name, with their calls.
struct TreeFunctions {
  let tree: LuaTree
  /// The globals that are assigned one function and nothing else.
  private var globals: [String: LuaTree.FunctionID] = [:]
  /// The globals that the file assigns.
  private(set) var assigned: Set<String> = []
  /// The calls of each function, as expressions.
  private(set) var calls: [LuaTree.FunctionID: [LuaTree.ExpressionID]] = [:]
  /// The functions that are also used without being called.
  private(set) var escaped: Set<LuaTree.FunctionID> = []
  /// The first result of each return statement of each function; nil for none.
  private(set) var results: [LuaTree.FunctionID: [LuaTree.ExpressionID?]] = [:]

  /// The locals and parameters that are operands of arithmetic.
  private(set) var calculated: Set<LuaTree.LocalID> = []

  private static let arithmetic: Set<String> = ["+", "-", "*", "/", "//", "%", "^"]

  init(_ tree: LuaTree) {
    self.tree = tree
    for expression in tree.expressions {
      guard case .binary(let sign, let left, let right) = expression.kind,
        TreeFunctions.arithmetic.contains(sign)
      else { continue }
      for case .local(let local) in [left, right].map({ tree.expressions[$0].kind }) {
        calculated.insert(local)
      }
    }
    var written: [String: Int] = [:]
    for statement in tree.statements {
      switch statement.kind {
      case .assignment(let targets, _):
        for case .global(let name) in targets.map({ tree.expressions[$0].kind }) {
          written[name, default: 0] += 1
        }
      case .function(let place, let body):
        guard case .global(let name) = tree.expressions[place].kind,
          case .function(let function) = tree.expressions[body].kind
        else { continue }
        written[name, default: 0] += 1
        globals[name] = function
      case .return(let values):
        results[statement.function, default: []].append(values.first)
      default: break
      }
    }
    for (name, count) in written where count > 1 { globals[name] = nil }
    assigned = Set(written.keys)
    readCalls()
  }

  private mutating func readCalls() {
    var uses: [String: Int] = [:]
    var called: Set<LuaTree.ExpressionID> = []
    for (number, expression) in tree.expressions.enumerated() {
      if case .global(let name) = expression.kind { uses[name, default: -1] += 1 }
      guard case .call(let callee, _) = expression.kind, let function = function(at: callee) else {
        continue
      }
      called.insert(callee)
      calls[function, default: []].append(number)
    }
    for number in tree.expressions.indices where !called.contains(number) {
      if let function = function(at: number) { escaped.insert(function) }
    }
    // The definition of a global counts as a use of its name too.
    for statement in tree.statements {
      if case .function(let place, let body) = statement.kind, !called.contains(place),
        case .function(let function) = tree.expressions[body].kind,
        case .global(let name) = tree.expressions[place].kind,
        uses[name] == calls[function]?.count ?? 0
      {
        escaped.remove(function)
      }
    }
  }

  /// Returns the function of the file that a name refers to.
  func function(at id: LuaTree.ExpressionID) -> LuaTree.FunctionID? {
    switch tree.expressions[id].kind {
    case .global(let name): return globals[name]
    case .local(let local):
      guard tree.locals[local].writes == 0 else { return nil }
      switch tree.locals[local].origin {
      case .function(let body?), .declared(let body?):
        if case .function(let function) = tree.expressions[body].kind { return function }
        return nil
      default: return nil
      }
    default: return nil
    }
  }

  /// Returns the arguments of a call; none for any other expression.
  func arguments(of call: LuaTree.ExpressionID) -> [LuaTree.ExpressionID] {
    if case .call(_, let arguments) = tree.expressions[call].kind { arguments } else { [] }
  }
}
