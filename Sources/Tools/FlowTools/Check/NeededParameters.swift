/// The locals and parameters that a function uses whenever it runs, in ways that fail for nil.
struct NeededParameters {
  private let tree: LuaTree
  private(set) var locals: Set<LuaTree.LocalID> = []

  init(_ function: LuaTree.FunctionID, in tree: LuaTree) {
    self.tree = tree
    for statement in tree.functions[function].body {
      guard addUses(by: tree.statements[statement].kind) else { return }
    }
  }

  /// Adds the uses of a statement; returns false if what follows may not run.
  private mutating func addUses(by statement: LuaTree.Statement.Kind) -> Bool {
    switch statement {
    case .local(_, let values): addUses(in: values)
    case .assignment(let targets, let values): addUses(in: targets + values)
    case .call(let call): addUses(in: [call])
    case .function, .localFunction: break
    case .return(let values), .genericFor(_, let values, _), .numericFor(_, let values, _):
      addUses(in: values)
      return false
    case .conditional(let branches, _):
      addUses(in: branches.prefix(1).map(\.condition))
      return false
    case .loop(let condition, _):
      addUses(in: [condition])
      return false
    case .block, .until, .break, .goto, .label: return false
    }
    return true
  }

  private mutating func addUses(in expressions: [LuaTree.ExpressionID]) {
    var waiting = expressions
    while let id = waiting.popLast() {
      switch tree.expressions[id].kind {
      case .field(let table, _): need([table], &waiting)
      case .index(let table, let key):
        need([table], &waiting)
        waiting.append(key)
      case .method(let receiver, _, let arguments):
        need([receiver], &waiting)
        waiting += arguments
      case .call(let callee, let arguments):
        need([callee], &waiting)
        waiting += arguments
      case .unary("-", let operand), .unary("#", let operand): need([operand], &waiting)
      case .unary(_, let operand), .parenthesised(let operand): waiting.append(operand)
      // The right side need not be evaluated.
      case .binary("and", let left, _), .binary("or", let left, _): waiting.append(left)
      case .binary("==", let left, let right), .binary("~=", let left, let right):
        waiting += [left, right]
      case .binary(_, let left, let right): need([left, right], &waiting)
      case .table(let items): waiting += items.map(\.value)
      case .nil, .true, .false, .vararg, .number, .string, .local, .global, .function: break
      }
    }
  }

  private mutating func need(
    _ operands: [LuaTree.ExpressionID], _ waiting: inout [LuaTree.ExpressionID]
  ) {
    for operand in operands {
      if case .local(let local) = tree.expressions[tree.bare(operand)].kind {
        locals.insert(local)
      } else {
        waiting.append(operand)
      }
    }
  }
}
