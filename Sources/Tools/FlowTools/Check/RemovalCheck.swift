/// A check for lists that lose elements while a loop goes through them, which passes over the next element.
///
/// A loop that is also left early is not checked: it may be left after the removal.
struct RemovalCheck {
  let check: TreeCheck
  private var tree: LuaTree { check.tree }

  init(check: TreeCheck) { self.check = check }

  var findings: [Finding] {
    tree.statements.flatMap { statement -> [Finding] in
      guard case .genericFor(_, let values, let body) = statement.kind, let first = values.first,
        case .call(let callee, let arguments) = tree.expressions[first].kind,
        case .global(let word) = tree.expressions[callee].kind, word == "ipairs" || word == "pairs",
        let list = arguments.first.flatMap(tree.path), let calls = calls(in: body)
      else { return [] }
      return calls.filter { removes($0, from: list) }.map { call in
        check.finding(
          .skippedElement, tree.expressions[call].line,
          "the loop skips the element after a removed one: go from #list down to 1, or write "
            + "list = table.filter(list, f)")
      }
    }
  }

  private func removes(_ call: LuaTree.ExpressionID, from list: String) -> Bool {
    guard case .call(let callee, let arguments) = tree.expressions[call].kind, arguments.count == 2,
      case .field(let table, "remove") = tree.expressions[callee].kind,
      case .global("table") = tree.expressions[table].kind
    else { return false }
    return tree.path(arguments[0]) == list
  }

  /// Returns the calls that stand alone or are assigned in a block; nil if the block may be left early.
  private func calls(in block: [LuaTree.StatementID]) -> [LuaTree.ExpressionID]? {
    var found: [LuaTree.ExpressionID] = []
    var waiting = block
    while let statement = waiting.popLast() {
      switch tree.statements[statement].kind {
      case .return, .break, .goto: return nil
      case .call(let call): found.append(call)
      case .local(_, let values), .assignment(_, let values): found += values
      case .block(let inner), .loop(_, let inner), .until(let inner, _),
        .numericFor(_, _, let inner), .genericFor(_, _, let inner):
        waiting += inner
      case .conditional(let branches, let otherwise):
        waiting += branches.flatMap(\.block) + (otherwise ?? [])
      case .function, .localFunction, .label: break
      }
    }
    return found
  }
}
