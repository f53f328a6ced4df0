/// A check for parameters that are used although nothing is passed for them: machines of the state pass no record.
struct UnpassedParameters {
  let check: TreeCheck
  private var tree: LuaTree { check.tree }

  init(check: TreeCheck) { self.check = check }

  var findings: [Finding] {
    // A function may be one of a machine of records too.
    guard check.flow.machines.allSatisfy({ $0.records == nil }) else { return [] }
    return tree.expressions.compactMap { expression in
      let used: LuaTree.ExpressionID
      switch expression.kind {
      case .field(let table, _), .index(let table, _), .method(let table, _, _): used = table
      default: return nil
      }
      guard case .local(let local) = tree.expressions[used].kind,
        case .parameter(let place) = tree.locals[local].origin, place > 1,
        tree.locals[local].writes == 0
      else { return nil }
      let (name, function) = (tree.locals[local].name, tree.locals[local].function)
      guard let role = check.roles[function], role.kind == .content || role.kind == .condition,
        check.tests.names[function]?.contains(name) != true
      else { return nil }
      return check.finding(
        .wrongKind, expression.line,
        "\(name) is nil here: machine \(role.name) passes the state and the payload; one with each "
          + "passes its record too")
    }
  }
}
