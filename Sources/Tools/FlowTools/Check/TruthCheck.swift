import FlowLanguage

/// A check for conditions that always hold: in Lua everything except nil and false is true, 0 and "" too.
struct TruthCheck {
  let check: TreeCheck
  private var tree: LuaTree { check.tree }

  init(check: TreeCheck) { self.check = check }

  var findings: [Finding] {
    // Each operand once, however many conditions it is a part of.
    var operands: Set<LuaTree.ExpressionID> = []
    for expression in tree.expressions {
      switch expression.kind {
      case .unary("not", let operand): operands.insert(tree.bare(operand))
      case .binary("and", let left, _): operands.insert(tree.bare(left))
      default: break
      }
    }
    for condition in conditions { operands.formUnion(leaves(condition)) }
    return operands.sorted().compactMap(finding)
  }

  private var conditions: [LuaTree.ExpressionID] {
    tree.statements.flatMap { statement -> [LuaTree.ExpressionID] in
      switch statement.kind {
      case .conditional(let branches, _): return branches.map(\.condition)
      case .loop(let condition, _), .until(_, let condition): return [condition]
      case .return(let values):
        guard let role = check.roles[statement.function],
          [.rule, .invariant, .condition].contains(role.kind)
        else { return [] }
        return Array(values.prefix(1))
      default: return []
      }
    }
  }

  /// Returns the operands of `and` and `or` that a condition consists of.
  private func leaves(_ id: LuaTree.ExpressionID) -> [LuaTree.ExpressionID] {
    let id = tree.bare(id)
    switch tree.expressions[id].kind {
    case .binary("and", let left, let right), .binary("or", let left, let right):
      return leaves(left) + leaves(right)
    default: return [id]
    }
  }

  private func finding(_ id: LuaTree.ExpressionID) -> Finding? {
    guard let kind = kind(id) else { return nil }
    let title = check.title(id)
    let name = title == "this" ? "this value" : title
    // A title such as `the payload of add.n` is no expression.
    let example = title == "this" || title.contains(" ") ? nil : title
    let advice: String
    switch kind {
    case .string:
      advice = "the empty text too; compare it" + (example.map { ", as in \($0) ~= \"\"" } ?? "")
    case .table: advice = "the empty one too; compare its length"
    default: advice = "0 too; compare it" + (example.map { ", as in \($0) > 0" } ?? "")
    }
    return check.finding(
      .constantAnswer, tree.expressions[id].line,
      "\(name) is \(kind.title), which is always true in Lua, \(advice)")
  }

  /// Returns the kind of a value that is never nil and never false; nil for any other.
  private func kind(_ id: LuaTree.ExpressionID) -> Shape.Kind? {
    let id = tree.bare(id)
    switch tree.expressions[id].kind {
    case .field(let table, let name):
      return check.shapes.shapes[table].record?.fields[name].flatMap(kind)
    case .local(let local):
      guard tree.locals[local].writes == 0 else { return nil }
      switch tree.locals[local].origin {
      case .declared(let value?): return kind(value)
      case .element(1, of: _): return kind(check.shapes.shapes[id])
      default: return nil
      }
    case .unary("#", _): return .integer
    case .binary(let sign, _, _) where TruthCheck.calculating.contains(sign):
      return kind(check.shapes.shapes[id])
    default: return nil
    }
  }

  private static let calculating: Set<String> = ["+", "-", "*", "/", "//", "%", "^", ".."]

  private func kind(_ shape: Shape) -> Shape.Kind? {
    switch shape {
    case .scalar(.oneOf(let values, _)):
      return values.contains { $0.kind == .boolean || $0.isNil } ? nil : shape.kind
    case .scalar, .value:
      guard let kind = shape.kind, ![.boolean, .none, .function].contains(kind) else { return nil }
      return kind
    case .record, .list, .map: return .table
    case .optional, .unknown: return nil
    }
  }
}
