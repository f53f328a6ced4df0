import LuaRuntime
import Moonlatch

/// What the tree of a flow's file says against the flow.
///
/// It is silent wherever it is unsure.
struct TreeCheck {
  let name: String
  let tree: LuaTree
  let flow: Flow
  let roles: [LuaTree.FunctionID: FunctionRole]
  private let shapes: TreeShapes
  private let globals: Set<String>

  /// `globals` are those that the flow makes for itself.
  init(
    name: String, tree: LuaTree, flow: Flow, roles: [LuaTree.FunctionID: FunctionRole],
    globals: Set<String>
  ) {
    (self.name, self.tree, self.flow, self.roles, self.globals) = (name, tree, flow, roles, globals)
    let swapped = Set(roles.keys.filter { FunctionCheck.isSwapped($0, in: tree) })
    shapes = TreeShapes(tree, roles.filter { !swapped.contains($0.key) })
  }

  var findings: [Finding] {
    var found = FunctionCheck(name: name, tree: tree, roles: roles).findings
    found += TableCheck(name: name, tree: tree).findings
    found += UnusedLocals(name: name, tree: tree).findings
    found += GlobalCheck(name: name, tree: tree, words: LibraryWords.flow.union(globals)).findings
    for expression in tree.expressions { found += check(expression) }
    for statement in tree.statements { found += check(statement) }
    return found
  }

  private func finding(_ kind: Finding.Kind, _ line: Int, _ message: String) -> Finding {
    Finding(kind, at: SourcePlace(file: name, line: line), message)
  }

  /// What the innermost function around that the flow calls is called for.
  private func role(of function: LuaTree.FunctionID) -> FunctionRole? {
    var next: LuaTree.FunctionID? = function
    while let id = next {
      if let role = roles[id] { return role }
      next = tree.functions[id].parent
    }
    return nil
  }

  // MARK: Expressions

  private func check(_ expression: LuaTree.Expression) -> [Finding] {
    switch expression.kind {
    case .field(let table, let field): self.field(field, of: table, expression)
    case .global(let word): misplaced(word, expression)
    case .binary("==", let left, let right), .binary("~=", let left, let right):
      comparison(left, right, expression.line) + comparison(right, left, expression.line)
    case .call(let callee, let arguments): call(callee, arguments, expression)
    case .method(let keeper, let question, _): self.question(question, of: keeper, expression.line)
    default: []
    }
  }

  private func field(
    _ field: String, of table: LuaTree.ExpressionID, _ expression: LuaTree.Expression
  ) -> [Finding] {
    if case .record(let record) = shapes.shapes[table], record.fields[field] == nil {
      return [
        finding(
          .unknownField, expression.line,
          "\(record.title) has no field \(field)"
            + Names.suggestion(for: field, among: record.fields.keys.sorted()))
      ]
    }
    return []
  }

  private func misplaced(_ word: String, _ expression: LuaTree.Expression) -> [Finding] {
    guard !globals.contains(word), let role = role(of: expression.function), role.kind != .effect
    else { return [] }
    let isMisplaced =
      LibraryWords.ofEffects.contains(word) || word == "view" && role.kind == .reducer
    guard isMisplaced else { return [] }
    let advice =
      word == "view"
      ? "call a function of the file that both use"
      : "effects do that, after the action has passed"
    return [
      finding(
        .misplacedWord, expression.line,
        "\(word) cannot be used in \(role.kind.title); \(advice)")
    ]
  }

  /// A value that the place never has.
  private func comparison(
    _ place: LuaTree.ExpressionID, _ value: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    guard case .choice(let values) = shapes.shapes[place],
      case .string(let text) = tree.expressions[tree.bare(value)].kind,
      !values.contains(.string(text))
    else { return [] }
    return [outside(text, values, at: place, line)]
  }

  private func outside(
    _ text: String, _ values: [Value], at place: LuaTree.ExpressionID, _ line: Int
  ) -> Finding {
    let title: String
    if case .field(_, let name) = tree.expressions[tree.bare(place)].kind {
      title = name
    } else {
      title = "this"
    }
    let names = values.compactMap(\.stringValue)
    let shown =
      names.count > 8
      ? "" : " (it is one of " + names.map { "\"\($0)\"" }.joined(separator: ", ") + ")"
    return finding(
      .unknownValue, line,
      "\(title) is never \"\(text)\"\(shown)" + Names.suggestion(for: text, among: names))
  }

  private func call(
    _ callee: LuaTree.ExpressionID, _ arguments: [LuaTree.ExpressionID],
    _ expression: LuaTree.Expression
  ) -> [Finding] {
    let payloads = PayloadCheck(name: name, tree: tree, flow: flow)
    switch tree.expressions[callee].kind {
    case .global("after") where !globals.contains("after") && arguments.count > 1:
      guard let action = tree.string(arguments[1]) else { return [] }
      return payloads.check(action, arguments.dropFirst(2).first, isWhole: true, expression)
    case .global("dispatch") where !arguments.isEmpty:
      guard let action = tree.string(arguments[0]) else { return [] }
      return payloads.check(action, arguments.dropFirst().first, isWhole: true, expression)
    case .field(let table, let member):
      if case .global("dispatch") = tree.expressions[table].kind {
        return payloads.check(member, arguments.first, isWhole: true, expression)
      }
      return dot(table, member, arguments, expression)
    default: return []
    }
  }

  private func question(
    _ question: String, of keeper: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    guard case .field(let words, _) = tree.expressions[keeper].kind,
      case .global("gatekeeper") = tree.expressions[words].kind,
      question != "may_pass", question != "holder"
    else { return [] }
    let advice = Names.suggestion(for: question, among: ["may_pass", "holder"])
    return [finding(.unknownField, line, "a gatekeeper has no \(question)\(advice)")]
  }

  /// `self.fetch()` for `self:fetch()`.
  private func dot(
    _ table: LuaTree.ExpressionID, _ member: String, _ arguments: [LuaTree.ExpressionID],
    _ expression: LuaTree.Expression
  ) -> [Finding] {
    guard case .local(let local) = tree.expressions[table].kind,
      case .parameter(0) = tree.locals[local].origin, tree.locals[local].writes == 0,
      let role = roles[tree.locals[local].function], role.kind == .effect, member != "parent"
    else { return [] }
    if let first = arguments.first, case .local = tree.expressions[first].kind { return [] }
    let own = tree.locals[local].name
    return [
      finding(
        .dotForColon, expression.line,
        "\(own).\(member)(...) does not hand \(own) over; write \(own):\(member)(...)")
    ]
  }

  // MARK: Statements

  private func check(_ statement: LuaTree.Statement) -> [Finding] {
    guard case .assignment(let targets, let values) = statement.kind else { return [] }
    return targets.enumerated().flatMap { place, target in
      write(target, place < values.count ? values[place] : nil, statement.line)
    }
  }

  private func write(
    _ target: LuaTree.ExpressionID, _ value: LuaTree.ExpressionID?, _ line: Int
  ) -> [Finding] {
    let expression = tree.expressions[target]
    switch expression.kind {
    case .local(let local): return replaced(local, value, line)
    case .field(let table, let field):
      guard case .record(let record) = shapes.shapes[table] else { return [] }
      if record.isPayload {
        return [finding(.refusedWrite, line, "\(record.title) can only be read")]
      }
      if let machine = record.machines[field] {
        return [
          finding(
            .refusedWrite, line,
            "\(record.title).\(field) is moved by machine \(machine) alone: have it list the action"
          )
        ]
      }
      if let role = role(of: expression.function), role.kind != .effect, !role.kind.mayWrite {
        return [
          finding(
            .refusedWrite, line, "\(role.kind.title) cannot change the state; a reducer does that")
        ]
      }
      return value.map { misfit($0, record.fields[field] ?? .unknown, at: target, line) } ?? []
    default: return []
    }
  }

  /// A value that is written out, and that the place never takes.
  private func misfit(
    _ value: LuaTree.ExpressionID, _ shape: Shape, at place: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    guard case .field(_, let field) = tree.expressions[place].kind else { return [] }
    switch (shape, tree.expressions[tree.bare(value)].kind) {
    case (.choice(let values), .string(let text)) where !values.contains(.string(text)):
      return [outside(text, values, at: place, line)]
    case (.integer, .binary("/", _, _)):
      return [
        finding(
          .unknownValue, line, "\(field) is an integer, and a division is none; x // y gives one")
      ]
    case (.integer, .string), (.number, .string), (.boolean, .string), (.boolean, .number),
      (.string, .true), (.string, .false), (.string, .number), (.integer, .true),
      (.integer, .false), (.number, .true), (.number, .false):
      return [finding(.unknownValue, line, "\(field) is never of that type")]
    default: return []
    }
  }

  /// `s = { ... }`, which changes nothing.
  private func replaced(
    _ local: LuaTree.LocalID, _ value: LuaTree.ExpressionID?, _ line: Int
  ) -> [Finding] {
    guard case .parameter(0) = tree.locals[local].origin,
      let role = roles[tree.locals[local].function], role.kind.mayWrite, let value,
      case .table = tree.expressions[tree.bare(value)].kind
    else { return [] }
    let own = tree.locals[local].name
    return [
      finding(
        .replacedState, line, "\(own) = ... changes no state: write into it, \(own).field = value")
    ]
  }
}
