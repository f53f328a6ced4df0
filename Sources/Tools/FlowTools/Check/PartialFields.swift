import FlowLanguage

/// A check for state effects that read a field which only some of the actions that enter their state declare.
///
/// A field that the effect tests anywhere counts as tested, and an effect that asks which action entered its state is
/// not checked.
struct PartialFields {
  let check: TreeCheck
  private var tree: LuaTree { check.tree }

  init(check: TreeCheck) { self.check = check }

  var findings: [Finding] {
    let effects = check.roles.filter { $0.value.entrance != nil }
    guard !effects.isEmpty else { return [] }
    let tested = names(in: effects)
    return tree.expressions.compactMap { expression in
      guard case .field(let table, let field) = expression.kind,
        case .local(let local) = tree.expressions[tree.bare(table)].kind,
        case .parameter(let place) = tree.locals[local].origin, tree.locals[local].writes == 0,
        let role = effects[tree.locals[local].function], place < role.parameters.count,
        role.parameters[place].part == .payload,
        let names = tested[tree.locals[local].function], !names.contains(field)
      else { return nil }
      return finding(field, of: tree.locals[local].name, role, expression.line)
    }
  }

  private func finding(
    _ field: String, of payload: String, _ role: FunctionRole, _ line: Int
  ) -> Finding? {
    guard let entrance = role.entrance else { return nil }
    if role.actions.isEmpty {
      return check.finding(
        .unknownField, line,
        "\(payload) has no field \(field): \(entrance.state) is entered without an action, and so without a "
          + "payload")
    }
    let declaring = role.actions.filter { $0.payload.type(ofField: field) != nil }
    let others = role.actions.filter { $0.payload.type(ofField: field) == nil }
    guard !declaring.isEmpty, !others.isEmpty || entrance.isWithoutAction else { return nil }
    let declares =
      Names.list(declaring.map(\.name)) + (declaring.count > 1 ? " declare" : " declares")
    var entering = others.map(\.name)
    if entrance.isWithoutAction { entering.append("no action") }
    return check.finding(
      .partialField, line,
      "\(payload).\(field) is nil if \(entrance.state) is entered by \(Names.list(entering)): only "
        + "\(declares) it; test it first, or compare self.entered_by")
  }

  /// Returns the names that each of these functions tests; nil for a function that asks which action has entered.
  private func names(
    in effects: [LuaTree.FunctionID: FunctionRole]
  ) -> [LuaTree.FunctionID: Set<String>] {
    var tested = effects.mapValues { _ in Set<String>() }
    func addName(at id: LuaTree.ExpressionID) {
      guard let function = check.tests.top(tree.expressions[id].function) else { return }
      switch tree.expressions[tree.bare(id)].kind {
      case .field(_, let name): tested[function]?.insert(name)
      case .local(let local):
        guard case .declared(let value?) = tree.locals[local].origin,
          case .field(_, let name) = tree.expressions[tree.bare(value)].kind
        else { return }
        tested[function]?.insert(name)
      default: break
      }
    }
    var asking: Set<LuaTree.FunctionID> = []
    for expression in tree.expressions {
      switch expression.kind {
      case .binary(let sign, let left, let right) where ["and", "or", "==", "~="].contains(sign):
        // The right side of `or` stands in for a field that is absent.
        addName(at: left)
        addName(at: right)
      case .unary("not", let operand): addName(at: operand)
      case .field(_, "entered_by"):
        if let function = check.tests.top(expression.function) { asking.insert(function) }
      default: break
      }
    }
    for statement in tree.statements {
      switch statement.kind {
      case .conditional(let branches, _): for branch in branches { addName(at: branch.condition) }
      case .loop(let condition, _), .until(_, let condition): addName(at: condition)
      default: break
      }
    }
    return tested.filter { !asking.contains($0.key) }
  }
}
