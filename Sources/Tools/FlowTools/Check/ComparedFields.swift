import FlowLanguage

/// The fields of payloads that functions compare, or pass to other functions, for each action.
///
/// A gate that compares a field is assumed to refuse the values that the state does not accept.
struct ComparedFields {
  private var ofActions: [String: Set<String>] = [:]
  /// The actions whose whole payload is passed to a function.
  private var passedWhole: Set<String> = []

  /// The largest number of fields that are followed through one calculated value.
  private static let most = 8
  private static let comparing: Set<String> = ["<", ">", "<=", ">=", "==", "~=", "and", "or"]

  init(_ files: [(shapes: TreeShapes, roles: [LuaTree.FunctionID: FunctionRole])]) {
    for file in files { read(file.shapes, file.roles) }
  }

  /// Returns true if a function of one of these actions compares a field of that name.
  func contain(_ field: String, for actions: [Action]) -> Bool {
    actions.isEmpty
      || actions.contains {
        passedWhole.contains($0.name) || ofActions[$0.name]?.contains(field) == true
      }
  }

  private mutating func read(
    _ shapes: TreeShapes, _ roles: [LuaTree.FunctionID: FunctionRole]
  ) {
    let tree = shapes.tree
    // The fields from which each expression is calculated. The parts of an expression come before it.
    var fields: [[String]] = []
    fields.reserveCapacity(tree.expressions.count)
    for (id, expression) in tree.expressions.enumerated() {
      if case .field(_, let name) = expression.kind {
        let root = shapes.roots[id]
        fields.append(ComparedFields.isPayload(root, in: tree, roles) ? [name] : [])
      } else {
        fields.append(ComparedFields.fields(of: expression.kind, in: tree, fields))
      }
      let (compared, passed) = ComparedFields.operands(of: expression.kind)
      guard !compared.isEmpty || !passed.isEmpty,
        let function = tree.enclosing(expression.function, where: { roles[$0] != nil }),
        let actions = roles[function]?.actions
      else { continue }
      let names = (compared + passed).flatMap { fields[$0] }
      for action in actions { ofActions[action.name, default: []].formUnion(names) }
      let isWhole = passed.contains { operand in
        guard case .local(let local) = tree.expressions[tree.bare(operand)].kind else {
          return false
        }
        return ComparedFields.isPayload(local, in: tree, roles)
      }
      if isWhole {
        passedWhole.formUnion(actions.map(\.name))
      }
    }
  }

  private static func fields(
    of kind: LuaTree.Expression.Kind, in tree: LuaTree, _ fields: [[String]]
  ) -> [String] {
    switch kind {
    case .unary(_, let operand), .parenthesised(let operand): return fields[operand]
    case .binary(_, let left, let right):
      return Array(
        (fields[left] + fields[right].filter { !fields[left].contains($0) }).prefix(most))
    case .local(let local):
      guard case .declared(let value?) = tree.locals[local].origin, value < fields.count else {
        return []
      }
      return fields[value]
    default: return []
    }
  }

  /// Returns the operands that an expression compares, and those that it passes to a function.
  private static func operands(
    of kind: LuaTree.Expression.Kind
  ) -> (compared: [LuaTree.ExpressionID], passed: [LuaTree.ExpressionID]) {
    switch kind {
    case .binary(let sign, let left, let right) where comparing.contains(sign):
      return ([left, right], [])
    case .unary("not", let operand), .index(_, let operand): return ([operand], [])
    case .call(_, let arguments): return ([], arguments)
    case .method(let receiver, _, let arguments): return ([], [receiver] + arguments)
    default: return ([], [])
    }
  }

  /// Returns true for the parameter that is a payload.
  private static func isPayload(
    _ local: LuaTree.LocalID?, in tree: LuaTree, _ roles: [LuaTree.FunctionID: FunctionRole]
  ) -> Bool {
    guard let local, case .parameter(let place) = tree.locals[local].origin,
      let role = roles[tree.locals[local].function], place < role.parameters.count
    else { return false }
    return role.parameters[place].part == .payload
  }
}
