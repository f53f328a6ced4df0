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
    return operands.sorted().compactMap(finding) + comparisons
  }

  /// The comparisons with nil of values that are never nil.
  private var comparisons: [Finding] {
    tree.expressions.compactMap { expression in
      guard case .binary(let sign, let left, let right) = expression.kind,
        sign == "==" || sign == "~=", tree.isNil(left) || tree.isNil(right)
      else { return nil }
      let place = tree.isNil(left) ? right : left
      guard isNeverNil(place) else { return nil }
      return check.finding(
        .constantAnswer, expression.line,
        "\(check.title(place)) is never nil: this is always \(sign == "~=")")
    }
  }

  /// Returns true for a field whose type does not allow nil, or that nothing sets to nil.
  private func isNeverNil(_ id: LuaTree.ExpressionID) -> Bool {
    guard case .field(let table, let name) = tree.expressions[tree.bare(id)].kind,
      let record = check.shapes.shapes[table].record, record.machines[name] == nil,
      !record.isConstant
    else { return false }
    // An effect of a state may have no payload.
    if let (part, role) = check.part(of: table), part == .payload, role.entrance != nil {
      return false
    }
    switch record.fields[name] {
    case .scalar(let type)?: return type.literalKind != nil
    case .list(_, _?)?, .map(_, _?)?: return true
    case .record(let inner)?: return inner.type != nil
    case .unknown?: return record.title == "state" && check.present.kinds[name] != nil
    default: return false
    }
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
  private func leaves(_ condition: LuaTree.ExpressionID) -> [LuaTree.ExpressionID] {
    var (waiting, found): ([LuaTree.ExpressionID], [LuaTree.ExpressionID]) = ([condition], [])
    while let next = waiting.popLast() {
      let id = tree.bare(next)
      switch tree.expressions[id].kind {
      case .binary("and", let left, let right), .binary("or", let left, let right):
        waiting += [left, right]
      default: found.append(id)
      }
    }
    return found
  }

  private func finding(_ id: LuaTree.ExpressionID) -> Finding? {
    guard let kind = kind(id) else { return nil }
    let title = check.title(id)
    let name = title == "this" ? "this value" : title
    // A title such as `the payload of add.n` is no expression.
    let example = title == "this" || title.contains(" ") ? nil : title
    let advice: String
    switch kind {
    case .string: advice = "even \"\"; compare it" + (example.map { ": \($0) ~= \"\"" } ?? "")
    case .table: advice = "even an empty one; compare its length"
    default: advice = "even 0; compare it" + (example.map { ": \($0) > 0" } ?? "")
    }
    return check.finding(
      .constantAnswer, tree.expressions[id].line,
      "\(name) is \(kind.title), and that is always true in Lua, \(advice)")
  }

  /// Returns the kind of a value that is never nil and never false; nil for any other.
  private func kind(_ id: LuaTree.ExpressionID) -> Shape.Kind? {
    let id = origin(of: id)
    switch tree.expressions[id].kind {
    case .field(let table, let name):
      guard let record = check.shapes.shapes[table].record, !record.isConstant else { return nil }
      if record.title == "state", case .unknown? = record.fields[name] {
        return check.present.kinds[name]
      }
      return record.fields[name].flatMap(kind)
    case .local(let local):
      guard tree.locals[local].writes == 0 else { return nil }
      if case .element(1, of: _) = tree.locals[local].origin {
        return kind(check.shapes.shapes[id])
      }
      return nil
    case .unary("#", _): return .integer
    case .binary(let sign, _, _) where TruthCheck.calculating.contains(sign):
      return kind(check.shapes.shapes[id])
    default: return nil
    }
  }

  /// Returns the expression with which a local was declared, through other locals.
  private func origin(of id: LuaTree.ExpressionID) -> LuaTree.ExpressionID {
    var id = tree.bare(id)
    while case .local(let local) = tree.expressions[id].kind, tree.locals[local].writes == 0,
      case .declared(let value?) = tree.locals[local].origin
    {
      id = tree.bare(value)
    }
    return id
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
