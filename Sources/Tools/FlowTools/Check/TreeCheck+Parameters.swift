/// Checks of arguments that are left out, and of names that stand for themselves.
extension TreeCheck {
  /// Checks the arguments of `view.NAME(...)`; the view gets the state besides.
  func view(
    _ name: String, _ arguments: [LuaTree.ExpressionID], _ line: Int
  ) -> [Finding] {
    let views = roles.filter { $0.value.kind == .view && $0.value.name == name }
    guard views.count == 1, let function = views.keys.first else { return [] }
    let parameters = tree.functions[function].parameters.dropFirst()
    let names = self.names(of: parameters)
    if arguments.count > parameters.count, !tree.functions[function].isVariadic {
      let takes = parameters.isEmpty ? "nothing" : "(\(names))"
      return [
        finding(
          .swappedParameters, line, "view.\(name) takes \(takes): the other arguments are ignored")
      ]
    }
    let missed = parameters.dropFirst(arguments.count)
    guard !isOpen(arguments), let missing = missed.first(where: isNeeded) else { return [] }
    return [
      finding(
        .wrongKind, line,
        "view.\(name) takes (\(names)), and \(tree.locals[missing].name) is missing here")
    ]
  }

  /// Checks for a parameter that a call leaves out, that all other calls give, and that the function uses as a value.
  ///
  /// Of a function with one call it is enough that the function has no use for nil, and does not end early without it.
  func unpassed(
    _ arguments: [LuaTree.ExpressionID], of function: LuaTree.FunctionID, _ own: String,
    _ line: Int
  ) -> [Finding] {
    let parameters = tree.functions[function].parameters
    let others = (shapes.functions.calls[function] ?? []).map(shapes.functions.arguments)
      .filter { $0 != arguments }
    let endsEarly = (shapes.functions.results[function] ?? []).count > 1
    guard !isOpen(arguments), !others.isEmpty || !endsEarly else { return [] }
    for (place, parameter) in parameters.enumerated().dropFirst(arguments.count) {
      guard others.allSatisfy({ $0.count > place }), isNeeded(parameter) else { continue }
      let names = self.names(of: parameters)
      return [
        finding(
          .wrongKind, line,
          "\(own) takes (\(names)), and \(tree.locals[parameter].name) is missing here")
      ]
    }
    return []
  }

  /// Checks for another value in the place of the state, of which the function reads a field.
  func noState(
    _ arguments: [LuaTree.ExpressionID], of function: LuaTree.FunctionID, _ own: String,
    _ line: Int
  ) -> [Finding] {
    let parameters = tree.functions[function].parameters
    for (argument, parameter) in zip(arguments, parameters) where isState(parameter) {
      let name = tree.locals[parameter].name
      let names = self.names(of: parameters)
      switch shapes.shapes[argument] {
      case .value(.string), .value(.integer), .value(.boolean), .scalar:
        return [
          finding(
            .wrongKind, line,
            "\(own) takes (\(names)), and \(name) is not the state here")
        ]
      default: continue
      }
    }
    return []
  }

  /// Returns true for a parameter called s of which a field is read that the state has.
  private func isState(_ parameter: LuaTree.LocalID) -> Bool {
    guard ["s", "state"].contains(tree.locals[parameter].name) else { return false }
    return tree.expressions.contains { expression in
      guard case .field(let table, let field) = expression.kind,
        case .local(parameter) = tree.expressions[table].kind
      else { return false }
      return flow.fields.contains { $0.name == field }
    }
  }

  /// Checks for a function without a result that `table.sum` or a similar function is given.
  func withoutResult(
    _ member: String, _ arguments: [LuaTree.ExpressionID], _ line: Int
  ) -> [Finding] {
    guard ["sum", "map", "filter", "find", "any", "all"].contains(member), arguments.count > 1,
      case .function(let function) = tree.expressions[arguments[1]].kind,
      !tree.functions[function].body.isEmpty, shapes.functions.results[function] == nil,
      !FunctionCheck(name: name, tree: tree, roles: roles).alwaysEnds(
        tree.functions[function].body)
    else { return [] }
    return [
      finding(
        .missingReturn, line,
        "table.\(member) needs the result of this function, which returns nothing")
    ]
  }

  private func names(of parameters: some Sequence<LuaTree.LocalID>) -> String {
    parameters.map { tree.locals[$0].name }.joined(separator: ", ")
  }

  /// Returns true if each use of a parameter is one for which nil makes no sense: as a key, or as an operand.
  private func isNeeded(_ parameter: LuaTree.LocalID) -> Bool {
    let local = tree.locals[parameter]
    guard local.writes == 0, local.reads > 0 else { return false }
    let found = tree.expressions.reduce(0) { $0 + uses($1.kind, of: parameter) }
    return found == local.reads
  }

  /// Returns the number of operands of an expression that are a local, and for which nil makes no sense.
  private func uses(_ kind: LuaTree.Expression.Kind, of local: LuaTree.LocalID) -> Int {
    let operands: [LuaTree.ExpressionID]
    switch kind {
    case .field(let table, _), .method(let table, _, _): operands = [table]
    case .index(let table, let key): operands = [table, key]
    case .call(let callee, _): operands = [callee]
    case .unary("-", let operand), .unary("#", let operand): operands = [operand]
    case .binary("and", _, _), .binary("or", _, _): operands = []
    case .binary(_, let left, let right):
      operands = [left, right].contains(where: tree.isNil) ? [] : [left, right]
    default: operands = []
    }
    return operands.count {
      if case .local(local) = tree.expressions[tree.bare($0)].kind { true } else { false }
    }
  }

  // MARK: Keys

  /// Checks for `s.members.id` in place of `s.members[id]`.
  func literalKey(
    _ field: String, of table: LuaTree.ExpressionID, _ expression: LuaTree.Expression,
    _ id: LuaTree.ExpressionID
  ) -> [Finding] {
    guard case .map(_, let type) = shapes.shapes[table].present else { return [] }
    if case .mapOf? = type, type?.hasIntegerKeys == true {
      return [
        finding(
          .unknownField, expression.line,
          "\(title(table)) is a map whose keys are integers, and has no entry \(field)")
      ]
    }
    guard
      tree.locals.contains(where: { $0.name == field && isKey($0, at: id) })
    else { return [] }
    return [
      finding(
        .unknownField, expression.line,
        "this is the entry \"\(field)\" of \(title(table)); for the entry whose key is in "
          + "\(field), write [\(field)]")
    ]
  }

  /// Returns true if a local of a function may hold a key at an expression.
  private func isKey(_ local: LuaTree.Local, at id: LuaTree.ExpressionID) -> Bool {
    let expression = tree.expressions[id]
    guard local.function != 0, local.line <= expression.line,
      tree.function(expression.function, isIn: local.function)
    else { return false }
    switch local.origin {
    case .parameter, .counter: return true
    case .declared(let value?):
      guard value < id, shapes.shapes[value].kind != .table else { return false }
      // `local ann = s.users.ann` is the entry itself.
      if case .field(let table, local.name) = tree.expressions[tree.bare(value)].kind,
        case .map = shapes.shapes[table].present
      {
        return false
      }
      return true
    case .element(_, of: let call): return call < id
    case .declared(nil), .function, .ownSelf: return false
    }
  }
}
