import FlowLanguage

/// A check of the results and the parameter names of the functions that a flow calls.
struct FunctionCheck {
  let name: String
  let tree: LuaTree
  let roles: [LuaTree.FunctionID: FunctionRole]

  var findings: [Finding] {
    let returns = Dictionary(
      grouping: tree.statements.indices, by: { tree.statements[$0].function })
    return roles.flatMap { function, role -> [Finding] in
      let answers = (returns[function] ?? []).compactMap { number -> (values: [Int], line: Int)? in
        guard case .return(let values) = tree.statements[number].kind else { return nil }
        return (values, tree.statements[number].line)
      }
      return swapped(function, role) + ends(function, role, answers)
        + constant(function, role, answers)
    } + alternatives
  }

  private func finding(_ kind: Finding.Kind, _ line: Int, _ message: String) -> Finding {
    Finding(kind, at: SourcePlace(file: name, line: line), message)
  }

  // MARK: Parameters

  static func isSwapped(_ function: LuaTree.FunctionID, in tree: LuaTree) -> Bool {
    let names = tree.functions[function].parameters.map { tree.locals[$0].name }
    guard names.count > 1 else { return false }
    return payloadNames.contains(names[0]) && ["s", "state"].contains(names[1])
  }

  private static let payloadNames: Set<String> = ["a", "action", "payload"]

  private func swapped(_ function: LuaTree.FunctionID, _ role: FunctionRole) -> [Finding] {
    let names = tree.functions[function].parameters.map { tree.locals[$0].name }
    if role.kind == .effect {
      guard let first = names.first, FunctionCheck.payloadNames.contains(first) else { return [] }
      return [
        finding(
          .swappedParameters, tree.functions[function].line,
          "an effect gets its scope first: write (self, \(first))")
      ]
    }
    guard FunctionCheck.isSwapped(function, in: tree) else { return [] }
    return [
      finding(
        .swappedParameters, tree.functions[function].line,
        "\(role.kind.title) gets the state first: write (\(names[1]), \(names[0]))")
    ]
  }

  // MARK: Answers

  private func ends(
    _ function: LuaTree.FunctionID, _ role: FunctionRole, _ answers: [(values: [Int], line: Int)]
  ) -> [Finding] {
    switch role.kind {
    case .rule, .invariant, .view: break
    case .condition: return neverAgrees(function, role, answers)
    default: return []
    }
    if role.kind == .view {
      guard answers.isEmpty, !alwaysEnds(tree.functions[function].body) else { return [] }
      return [
        finding(
          .missingReturn, tree.functions[function].line,
          "view \(role.name) returns nothing; end it with \"return\" and its value")
      ]
    }
    if let bare = answers.first(where: { $0.values.isEmpty }) {
      return [
        finding(
          .missingReturn, bare.line,
          "\(role.kind.title) must return true, or false and a reason"
        )
      ]
    }
    guard !alwaysEnds(tree.functions[function].body) else { return [] }
    let word = role.kind == .rule ? "gate" : "invariant"
    return [
      finding(
        .missingReturn, tree.functions[function].line,
        "\(word) \(role.name) can end without returning a value; end it with \"return true\"")
    ]
  }

  /// Returns the finding for a condition that can end without an answer, and agrees nowhere.
  private func neverAgrees(
    _ function: LuaTree.FunctionID, _ role: FunctionRole, _ answers: [(values: [Int], line: Int)]
  ) -> [Finding] {
    let body = tree.functions[function].body
    guard !body.isEmpty, !alwaysEnds(body),
      answers.allSatisfy({ $0.values.first.map { truth($0) == false } ?? true })
    else { return [] }
    return [
      finding(
        .missingReturn, tree.functions[function].line,
        "this condition of machine \(role.name) never holds; end it with \"return true\"")
    ]
  }

  /// Returns true if the end of a block is never reached; a jump counts as leaving the block.
  func alwaysEnds(_ block: [LuaTree.StatementID]) -> Bool {
    block.contains { number in
      switch tree.statements[number].kind {
      case .return, .goto, .break: true
      case .block(let inner), .until(let inner, _): alwaysEnds(inner)
      case .loop(let condition, _): isTruthy(condition)
      case .conditional(let branches, let otherwise?):
        branches.allSatisfy { alwaysEnds($0.block) } && alwaysEnds(otherwise)
      case .call(let call):
        if case .call(let callee, _) = tree.expressions[call].kind,
          case .global("error") = tree.expressions[callee].kind
        {
          true
        } else {
          false
        }
      default: false
      }
    }
  }

  private func constant(
    _ function: LuaTree.FunctionID, _ role: FunctionRole, _ answers: [(values: [Int], line: Int)]
  ) -> [Finding] {
    guard role.kind == .rule || role.kind == .invariant || role.kind == .condition else {
      return []
    }
    var found: [Finding] = []
    for answer in answers {
      guard let first = answer.values.first else { continue }
      switch tree.expressions[tree.bare(first)].kind {
      case .string, .number, .table:
        found.append(
          finding(
            .constantAnswer, answer.line,
            "this counts as true; a refusal is \"return false\" and a reason"))
      case .binary where !isAlternative(first) && mayBeText(first):
        found.append(
          finding(
            .constantAnswer, answer.line,
            "a string counts as true; a refusal is \"return false\" and a reason"))
      default: break
      }
    }
    // A function of several statements may raise errors instead of returning.
    if role.kind != .condition, tree.functions[function].body.count == 1, answers.count == 1,
      case .return = tree.statements[tree.functions[function].body[0]].kind,
      let answer = answers[0].values.first.flatMap(truth)
    {
      let what = role.kind == .rule ? "gate \(role.name)" : "invariant \(role.name)"
      found.append(
        finding(
          .constantAnswer, answers[0].line,
          "\(what) always returns \(answer), whatever the state is"))
    }
    return found
  }

  private func truth(_ id: LuaTree.ExpressionID) -> Bool? {
    switch tree.expressions[tree.bare(id)].kind {
    case .true: true
    case .false, .nil: false
    default: nil
    }
  }

  /// Returns true if one of the values that `and` and `or` choose from is a string.
  private func mayBeText(_ id: LuaTree.ExpressionID) -> Bool {
    var waiting = [id]
    while let next = waiting.popLast() {
      switch tree.expressions[tree.bare(next)].kind {
      case .string: return true
      case .binary("and", _, let right): waiting.append(right)
      case .binary("or", let left, let right): waiting += [left, right]
      default: break
      }
    }
    return false
  }

  private func isTruthy(_ id: LuaTree.ExpressionID) -> Bool {
    switch tree.expressions[tree.bare(id)].kind {
    case .true, .string, .number, .table, .function: true
    default: false
    }
  }

  // MARK: `a == 1 or 2`

  /// The conditions that always hold because an alternative is a plain value.
  private var alternatives: [Finding] {
    var conditions: [LuaTree.ExpressionID] = []
    for statement in tree.statements {
      switch statement.kind {
      case .conditional(let branches, _): conditions += branches.map(\.condition)
      case .loop(let condition, _), .until(_, let condition): conditions.append(condition)
      case .return(let values):
        if let role = roles[statement.function],
          [.rule, .invariant, .condition].contains(role.kind),
          let first = values.first
        {
          conditions.append(first)
        }
      default: break
      }
    }
    return conditions.compactMap { condition in
      guard isAlternative(condition),
        case .binary(_, _, let right) = tree.expressions[tree.bare(condition)].kind
      else { return nil }
      return finding(
        .constantAnswer, tree.expressions[right].line,
        "the value after this or counts as true; compare it too")
    }
  }

  /// Returns true for a comparison with `or` and a value behind it.
  private func isAlternative(_ id: LuaTree.ExpressionID) -> Bool {
    guard case .binary("or", let left, let right) = tree.expressions[tree.bare(id)].kind else {
      return false
    }
    return isTruthy(right) && isComparison(left)
  }

  private func isComparison(_ id: LuaTree.ExpressionID) -> Bool {
    if case .binary(let sign, _, _) = tree.expressions[tree.bare(id)].kind {
      return ["==", "~=", "<", ">", "<=", ">="].contains(sign)
    }
    return false
  }
}
