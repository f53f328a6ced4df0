import FlowLanguage

/// A check of the syntax tree of a flow's file against the flow.
///
/// It reports nothing where it is not sure.
struct TreeCheck {
  let name: String
  let tree: LuaTree
  let flow: Flow
  let roles: [LuaTree.FunctionID: FunctionRole]
  let shapes: TreeShapes
  let globals: Set<String>
  /// The texts that the flow writes into fields, by field.
  let texts: FieldTexts
  let callers: CallerRoles
  let tests: TestedNames
  /// The names that rules and conditions of the flow test.
  let guarded: GuardedNames
  /// The fields of payloads that functions of the flow compare.
  let compared: ComparedFields
  let changed: ChangedParameters
  /// The names by which the file may query states of machines, if it does.
  let machineWords: MachineWords?
  /// True if another file requires this one.
  var isModule = false
  /// The fields of the state without a type that are never nil.
  var present = PresentFields()

  /// Makes a check; `globals` are the globals that the flow assigns itself.
  init(
    name: String, flow: Flow, roles: [LuaTree.FunctionID: FunctionRole], shapes: TreeShapes,
    globals: Set<String>, texts: FieldTexts, tests: TestedNames, guarded: GuardedNames,
    compared: ComparedFields
  ) {
    (self.name, tree, self.flow, self.roles) = (name, shapes.tree, flow, roles)
    (self.shapes, self.globals, self.texts) = (shapes, globals, texts)
    (self.tests, self.guarded, self.compared) = (tests, guarded, compared)
    callers = CallerRoles(shapes.functions, roles)
    changed = ChangedParameters(shapes)
    let asks = tree.expressions.contains {
      if case .global(let word) = $0.kind { MachineWords.asking.contains(word) } else { false }
    }
    machineWords = asks ? MachineWords(flow) : nil
  }

  /// Returns the functions whose parameters can be assumed to be those that the flow passes.
  static func taken(
    _ roles: [LuaTree.FunctionID: FunctionRole], in tree: LuaTree
  ) -> [LuaTree.FunctionID: FunctionRole] {
    roles.filter { $0.value.kind == .effect || !FunctionCheck.isSwapped($0.key, in: tree) }
  }

  var findings: [Finding] {
    var found = FunctionCheck(name: name, tree: tree, roles: roles).findings
    found += TableCheck(name: name, tree: tree).findings
    found += UnusedLocals(name: name, tree: tree).findings
    found += WeakTableCheck(name: name, tree: tree).findings
    found +=
      GlobalCheck(
        name: name, tree: tree, words: LibraryWords.flow.union(globals), isModule: isModule
      ).findings
    found += OptionalUse(check: self).findings + PutCheck(check: self).findings
    found += TruthCheck(check: self).findings + PatternCheck(name: name, tree: tree).findings
    found += PartialFields(check: self).findings + UnpassedParameters(check: self).findings
    found += RemovalCheck(check: self).findings + missingResults
    for (number, expression) in tree.expressions.enumerated() {
      found += check(expression, number)
    }
    for statement in tree.statements { found += check(statement) }
    return found
  }

  func finding(_ kind: Finding.Kind, _ line: Int, _ message: String) -> Finding {
    Finding(kind, at: SourcePlace(file: name, line: line), message)
  }

  /// Returns the role of the innermost enclosing function that the flow calls.
  func role(of function: LuaTree.FunctionID) -> FunctionRole? {
    tree.enclosing(function) { roles[$0] != nil }.flatMap { roles[$0] }
  }

  /// Returns the part of the parameter from which an expression is reached.
  func part(of id: LuaTree.ExpressionID) -> (part: FunctionRole.Part, role: FunctionRole)? {
    guard let local = shapes.roots[id], let role = roles[tree.locals[local].function],
      case .parameter(let place) = tree.locals[local].origin, place < role.parameters.count
    else { return nil }
    return (role.parameters[place].part, role)
  }

  /// Returns the name of a place in messages, which is its last name.
  func title(_ id: LuaTree.ExpressionID) -> String {
    switch tree.expressions[tree.bare(id)].kind {
    case .field(let table, let name):
      if case .global(let word) = tree.expressions[table].kind {
        "\(word).\(name)"
      } else {
        shapes.shapes[table].record.map { "\($0.title).\(name)" } ?? name
      }
    case .local(let local): tree.locals[local].name
    case .global(let name): name
    default: "this"
    }
  }

  private func check(
    _ expression: LuaTree.Expression, _ id: LuaTree.ExpressionID
  ) -> [Finding] {
    switch expression.kind {
    case .field(let table, let field):
      return self.field(field, of: table, expression) + drawn(field, of: table, expression)
        + literalKey(field, of: table, expression, id)
    case .index(let table, let key):
      let named = tree.string(key).map { field($0, of: table, expression) } ?? []
      return named + operand(table, "has no parts", expression.line, numbers: true)
        + number(key, in: table, expression.line)
    case .global(let word): return misplaced(word, expression)
    case .binary, .unary: return values(expression)
    case .call(let callee, let arguments):
      return call(callee, arguments, expression) + arity(callee, arguments, expression.line)
    case .method(let receiver, let name, let arguments):
      return method(name, of: receiver, arguments, expression)
    default: return []
    }
  }

  /// Checks the operands of an expression.
  func values(_ expression: LuaTree.Expression) -> [Finding] {
    switch expression.kind {
    case .binary(let sign, let left, let right):
      operators(sign, left, right, expression.line)
    case .unary(let sign, let operand): unary(sign, operand, expression.line)
    default: []
    }
  }

  func field(
    _ field: String, of table: LuaTree.ExpressionID, _ expression: LuaTree.Expression
  ) -> [Finding] {
    if let record = shapes.shapes[table].record {
      guard record.fields[field] == nil, !record.isOpen, !record.written.contains(field) else {
        return []
      }
      return [
        finding(
          .unknownField, expression.line,
          "\(record.title) has no field \(field)"
            + Names.suggestion(for: field, among: record.fields.keys.sorted()))
      ]
    }
    if case .list = shapes.shapes[table].present {
      return [
        finding(
          .unknownField, expression.line,
          "\(title(table)) is a list, which has no \(field): its elements have numbers")
      ]
    }
    if shapes.shapes[table].kind == .string, isNoMethod(field) {
      return [
        finding(.unknownField, expression.line, "\(title(table)) is a string, and has no fields")
      ]
    }
    return operand(table, "has no fields", expression.line, numbers: true)
  }

  private func isNoMethod(_ name: String) -> Bool {
    LibraryWords.libraries["string"]?.contains(name) == false
  }

  private func misplaced(_ word: String, _ expression: LuaTree.Expression) -> [Finding] {
    guard !globals.contains(word) else { return [] }
    if let role = role(of: expression.function) {
      return misplaced(word, role, expression.line).map { [$0] } ?? []
    }
    // In a helper that no effect calls the word is reported here, otherwise at the calls of the helper.
    guard let function = callers.helper(around: expression.function, in: tree) else { return [] }
    let roles = callers.roles(of: function)
    guard !roles.contains(where: { $0.kind == .effect }) else { return [] }
    return roles.lazy.compactMap { misplaced(word, $0, expression.line) }.first.map { [$0] } ?? []
  }

  func misplaced(_ word: String, _ role: FunctionRole, _ line: Int) -> Finding? {
    if role.kind == .effect {
      guard word == "state" else { return nil }
      return finding(
        .misplacedWord, line,
        "an effect sees views, not the state: declare a view, and read view.NAME()")
    }
    if let advice = TreeCheck.replacement(for: word, in: role.kind) {
      return finding(
        .misplacedWord, line, "\(word) cannot be used in \(role.kind.title); \(advice)")
    }
    guard LibraryWords.declaring.contains(word) else { return nil }
    let advice = word == "state" ? "; the state is the first parameter" : ""
    return finding(
      .misplacedWord, line, "\(word) is a declaration, and has no effect in a function\(advice)")
  }

  /// Returns what to do in place of a word that a function must not use; nil if it may.
  private static func replacement(for word: String, in kind: FunctionRole.Kind) -> String? {
    switch word {
    case "view" where kind.mayWrite: "call a function of the file that both use"
    case "gatekeeper" where kind.mayWrite: "a gate can ask it, before the action passes"
    case "now" where kind == .view || kind == .invariant,
      "by" where kind == .view || kind == .invariant:
      "let a reducer store what it returns in the state"
    case _ where LibraryWords.drawing.contains(word):
      switch kind {
      case .view, .invariant, .rule, .condition: "let a reducer draw, and store the result"
      default: nil
      }
    case _ where LibraryWords.ofEffects.contains(word):
      "effects do that, after the action has passed"
    default: nil
    }
  }

  /// Checks for a function of a library that draws random numbers.
  private func drawn(
    _ member: String, of table: LuaTree.ExpressionID, _ expression: LuaTree.Expression
  ) -> [Finding] {
    guard case .global(let library) = tree.expressions[table].kind, !globals.contains(library)
    else { return [] }
    let word = "\(library).\(member)"
    return LibraryWords.drawing.contains(word) ? misplaced(word, expression) : []
  }

  private func check(_ statement: LuaTree.Statement) -> [Finding] {
    switch statement.kind {
    case .assignment(let targets, let values):
      return targets.enumerated().flatMap { place, target in
        write(target, place < values.count ? values[place] : nil, statement)
      }
    case .genericFor(_, let values, _): return loop(values, statement.line)
    case .numericFor(_, let bounds, _):
      return bounds.flatMap { operand($0, "cannot be a bound of a loop", statement.line) }
    case .function(let place, let body): return definition(of: place, body)
    case .return(let values):
      return (values.first.map { result($0, statement) } ?? [])
    default: return []
    }
  }
}
