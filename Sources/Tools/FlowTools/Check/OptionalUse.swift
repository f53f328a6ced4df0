import FlowLanguage

/// A check for optional values that are used as if they were always present.
///
/// A name that the function tests anywhere counts as tested, as does one that a rule or a condition of all its actions
/// tests.
struct OptionalUse {
  let check: TreeCheck
  /// The functions that ask which of their actions it is.
  private let asking: Set<LuaTree.FunctionID>
  private var tree: LuaTree { check.tree }

  init(check: TreeCheck) {
    self.check = check
    asking = OptionalUse.asking(in: check)
  }

  var findings: [Finding] {
    var found: [Finding] = []
    for expression in tree.expressions {
      for operand in uses(expression.kind) {
        guard let name = optional(operand), let function = check.tests.top(expression.function)
        else { continue }
        if check.tests.names[function]?.contains(name) == true || isGuarded(operand, name) {
          continue
        }
        let why = lacking(operand).map { "is nil for \($0)" } ?? "may be none"
        found.append(
          check.finding(
            .untestedOptional, expression.line,
            "\(check.title(operand)) \(why): test it first, or give a default with or"
          ))
      }
    }
    return found
  }

  /// Returns the operands that must not be none.
  private func uses(_ kind: LuaTree.Expression.Kind) -> [LuaTree.ExpressionID] {
    switch kind {
    case .field(let table, _), .index(let table, _), .method(let table, _, _):
      // No table has an element for none.
      if case .index(_, let key) = tree.expressions[table].kind { return [table, key] }
      return [table]
    case .unary("-", let operand), .unary("#", let operand): return [operand]
    case .binary(let sign, let left, let right)
    where ["+", "-", "*", "/", "//", "%", "^", "..", "<", ">", "<=", ">="].contains(sign):
      return [left, right]
    case .call(let callee, let arguments):
      guard case .global(let word) = tree.expressions[callee].kind,
        word == "ipairs" || word == "pairs"
      else { return [] }
      return Array(arguments.prefix(1))
    default: return []
    }
  }

  /// Returns the name of a field that may be none, or of a local that holds one.
  private func optional(_ id: LuaTree.ExpressionID) -> String? {
    switch tree.expressions[id].kind {
    case .field(let table, let field):
      if case .optional? = check.shapes.shapes[table].record?.fields[field] { return field }
      return lacking(id) == nil ? nil : field
    case .local(let local):
      guard case .declared(let value?) = tree.locals[local].origin, tree.locals[local].writes == 0,
        optional(value) != nil
      else { return nil }
      return tree.locals[local].name
    default: return nil
    }
  }

  /// Returns the actions that lack a field of the payload which others of a function's actions have; nil for any other
  /// place.
  private func lacking(_ id: LuaTree.ExpressionID) -> String? {
    guard case .field(let table, let field) = tree.expressions[id].kind,
      case .local(let local) = tree.expressions[table].kind,
      case .parameter(let place) = tree.locals[local].origin, tree.locals[local].writes == 0,
      let role = check.roles[tree.locals[local].function], role.entrance == nil,
      place < role.parameters.count, role.parameters[place].part == .payload,
      !asking.contains(tree.locals[local].function)
    else { return nil }
    let names = role.actions.filter { $0.payload.type(ofField: field) == nil }.map(\.name)
    return names.isEmpty || names.count == role.actions.count ? nil : Names.list(names)
  }

  /// Returns the functions of several actions that read the name of the action, for more than a text.
  private static func asking(in check: TreeCheck) -> Set<LuaTree.FunctionID> {
    var joined: Set<LuaTree.ExpressionID> = []
    for case .binary("..", let left, let right) in check.tree.expressions.map(\.kind) {
      joined.formUnion([left, right])
    }
    var found: Set<LuaTree.FunctionID> = []
    for (id, expression) in check.tree.expressions.enumerated() where !joined.contains(id) {
      let used: LuaTree.ExpressionID
      switch expression.kind {
      case .field(let table, "action"): used = table
      case .local: used = id
      default: continue
      }
      guard case .local(let local) = check.tree.expressions[used].kind,
        case .parameter(2) = check.tree.locals[local].origin,
        let role = check.roles[check.tree.locals[local].function],
        role.kind == .effect ? used != id : role.kind == .rule
      else { continue }
      found.insert(check.tree.locals[local].function)
    }
    return found
  }

  /// Returns true if a machine's state or a rule guarantees that the value is present.
  private func isGuarded(_ id: LuaTree.ExpressionID, _ name: String) -> Bool {
    guard let (part, role) = check.part(of: id) else { return true }
    if check.guarded.contain(name, for: role.actions) { return true }
    if part == .payload { return false }
    return role.actions.isEmpty
      ? !check.flow.machines.isEmpty : role.actions.contains { !$0.machines.isEmpty }
  }
}

/// The names of places that functions test or set.
struct TestedNames {
  private let tree: LuaTree
  private let roles: [LuaTree.FunctionID: FunctionRole]
  /// The names for each function that the flow calls.
  private(set) var names: [LuaTree.FunctionID: Set<String>] = [:]

  /// The functions of the file that it calls itself.
  private let functions: TreeFunctions
  /// The depth of calls through which names are followed.
  private static let rounds = 3

  init(
    _ tree: LuaTree, _ roles: [LuaTree.FunctionID: FunctionRole], _ functions: TreeFunctions? = nil
  ) {
    (self.tree, self.roles) = (tree, roles)
    self.functions = functions ?? TreeFunctions(tree)
    for expression in tree.expressions {
      switch expression.kind {
      case .binary(let sign, let left, let right) where ["and", "or", "==", "~="].contains(sign):
        addNames(left)
        addNames(right)
      case .unary("not", let operand): addNames(operand)
      case .call(_, let arguments), .method(_, _, let arguments): arguments.forEach { addNames($0) }
      default: break
      }
    }
    for statement in tree.statements {
      switch statement.kind {
      case .conditional(let branches, _): for branch in branches { addNames(branch.condition) }
      case .loop(let condition, _), .until(_, let condition): addNames(condition)
      case .assignment(let targets, _): targets.forEach { addNames($0) }
      case .return(let values): values.forEach { addNames($0) }
      default: break
      }
    }
    for _ in 0..<TestedNames.rounds { followCalls() }
  }

  /// Adds the names that functions of the file test to those of their callers, one call further.
  private mutating func followCalls() {
    let before = names
    for (callee, calls) in functions.calls {
      guard let tested = before[callee] else { continue }
      for caller in Set(calls.compactMap({ owner(of: tree.expressions[$0].function) })) {
        names[caller, default: []].formUnion(tested)
      }
    }
  }

  /// Returns the innermost enclosing function that the flow or the file calls.
  private func owner(of function: LuaTree.FunctionID) -> LuaTree.FunctionID? {
    tree.enclosing(function) { roles[$0] != nil || functions.calls[$0] != nil }
  }

  /// The functions that decide which actions pass, with the names that each tests.
  var ofRules: [(role: FunctionRole, names: Set<String>)] {
    names.compactMap { function, tested in
      guard let role = roles[function], [.rule, .condition, .choice, .key].contains(role.kind)
      else {
        return nil
      }
      return (role, tested)
    }
  }

  /// Returns the innermost enclosing function that the flow calls.
  func top(_ function: LuaTree.FunctionID) -> LuaTree.FunctionID? {
    tree.enclosing(function) { roles[$0] != nil }
  }

  private mutating func addNames(_ id: LuaTree.ExpressionID) {
    guard let function = owner(of: tree.expressions[id].function) else { return }
    names[function, default: []].formUnion(last(id))
  }

  /// Returns the last name of a place, and the names of the value that it was given.
  private func last(_ id: LuaTree.ExpressionID) -> [String] {
    switch tree.expressions[tree.bare(id)].kind {
    case .field(_, let name): return [name]
    case .local(let local):
      var all = [tree.locals[local].name]
      if case .declared(let value?) = tree.locals[local].origin { all += last(value) }
      return all
    default: return []
    }
  }
}

/// The names that rules and conditions test; functions that run after them need not.
struct GuardedNames {
  private var ofActions: [String: Set<String>] = [:]
  /// The names that functions of no particular action test, such as the keys of scopes.
  private var ofAll: Set<String> = []

  init(_ tests: [TestedNames]) {
    for (role, names) in tests.flatMap(\.ofRules) {
      if role.actions.isEmpty { ofAll.formUnion(names) }
      for action in role.actions { ofActions[action.name, default: []].formUnion(names) }
    }
  }

  /// Returns true if the name is tested before each of these actions passes.
  func contain(_ name: String, for actions: [Action]) -> Bool {
    if ofAll.contains(name) { return true }
    return !actions.isEmpty && actions.allSatisfy { ofActions[$0.name]?.contains(name) == true }
  }
}
