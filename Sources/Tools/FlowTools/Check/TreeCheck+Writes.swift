import FlowLanguage

/// Checks of assignments and results.
extension TreeCheck {
  func write(
    _ target: LuaTree.ExpressionID, _ value: LuaTree.ExpressionID?, _ statement: LuaTree.Statement
  ) -> [Finding] {
    let line = statement.line
    switch tree.expressions[target].kind {
    case .local(let local): return replaced(local, value, line)
    case .global(let word): return global(word, statement)
    case .field(let table, let field): return write(field, of: table, value, target, line)
    case .index(let table, _):
      if let refused = refusedWrite(table, line) { return [refused] }
      guard let value, case .table? = shapes.shapes[table].kind,
        let type = shapes.shapes[target].type
      else { return [] }
      return put(value, type, target, line)
    default: return []
    }
  }

  private func write(
    _ field: String, of table: LuaTree.ExpressionID, _ value: LuaTree.ExpressionID?,
    _ target: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    if let record = shapes.shapes[table].record, let machine = record.machines[field],
      part(of: table)?.part != .payload
    {
      return [
        finding(
          .refusedWrite, line,
          "\(record.title).\(field) is the state of machine \(machine), which only its transitions change: list the action there"
        )
      ]
    }
    if let refused = refusedWrite(table, line) { return [refused] }
    guard let value else { return [] }
    if case .value(.function) = shapes.shapes[value], shapes.roots[table] != nil,
      part(of: table)?.part == .state
    {
      return notCalled(value, line)
    }
    guard let record = shapes.shapes[table].record else {
      // An entry of a map by its name.
      guard case .map = shapes.shapes[table].present, let type = shapes.shapes[target].type else {
        return []
      }
      return put(value, type, target, line)
    }
    guard let shape = record.fields[field] else { return [] }
    guard let type = shape.type else { return shape.record.map { put(value, in: $0) } ?? [] }
    if case .optional = shape, case .value(.none) = shapes.shapes[value] { return [] }
    return put(value, type, target, line)
  }

  /// Checks a value at a place that has a type.
  private func put(
    _ value: LuaTree.ExpressionID, _ type: PayloadType, _ target: LuaTree.ExpressionID, _ line: Int
  ) -> [Finding] {
    // Assigning none removes an entry of a map.
    if case .value(.none) = shapes.shapes[value] {
      switch tree.expressions[target].kind {
      case .index: return []
      case .field(let table, _) where shapes.shapes[table].record == nil: return []
      default: break
      }
    }
    var place = title(target)
    switch tree.expressions[target].kind {
    case .index(let table, _): place = title(table) + "[...]"
    case .field(let table, let name) where shapes.shapes[table].record == nil:
      place = "\(title(table)).\(name)"
    default: break
    }
    return TypeCheck.state(value, type, at: place, in: name, shapes)
      + wider(value, than: type, at: place, line)
  }

  /// Checks the fields of a table for payloads' fields that are wider than their places.
  private func wider(_ items: [LuaTree.Item], than type: PayloadType, at place: String) -> [Finding]
  {
    var type = type
    while case .optional(let inner) = type { type = inner }
    guard case .record(let fields) = type else { return [] }
    return items.flatMap { item -> [Finding] in
      guard case .named(let key, let value, let line) = item, let field = fields.field(named: key)
      else { return [] }
      return wider(value, than: field.type, at: "\(place).\(key)", line)
    }
  }

  /// Checks for a payload's field that may have values which its place in the state refuses.
  func wider(
    _ value: LuaTree.ExpressionID, than type: PayloadType, at place: String, _ line: Int
  ) -> [Finding] {
    if case .table(let items) = kind(value) { return wider(items, than: type, at: place) }
    guard case .field(_, let field) = kind(value), let (part, role) = part(of: value),
      part == .payload, let given = shapes.shapes[value].present.type,
      given.isWider(than: type), !compared.contain(field, for: role.actions)
    else { return [] }
    return [
      finding(
        .widerValue, line,
        "\(place) accepts \(type.text), but \(title(value)) can be \(given.text): declare the same type for "
          + "both, or refuse other values in a gate")
    ]
  }

  /// Checks a table at a record that has types for some of its fields only.
  private func put(_ value: LuaTree.ExpressionID, in record: Shape.Record) -> [Finding] {
    guard case .table(let items) = tree.expressions[tree.bare(value)].kind, !record.isOpen,
      record.fields.values.contains(where: { $0.type != nil })
    else { return [] }
    return items.flatMap { item -> [Finding] in
      guard case .named(let key, let value, let line) = item else { return [] }
      guard let shape = record.fields[key] else {
        let advice = Names.suggestion(for: key, among: record.fields.keys.sorted())
        return [finding(.unknownField, line, "\(record.title) has no field \(key)\(advice)")]
      }
      let place = "\(record.title).\(key)"
      return shape.type.map {
        TypeCheck.state(value, $0, at: place, in: name, shapes)
          + wider(value, than: $0, at: place, line)
      } ?? []
    }
  }

  /// Returns the finding for a write that is refused because of its parameter; nil if it is allowed.
  func refusedWrite(_ table: LuaTree.ExpressionID, _ line: Int) -> Finding? {
    guard let (part, role) = part(of: table) else { return nil }
    switch part {
    case .payload where role.kind != .effect || isFromPayload(table):
      let title = shapes.shapes[table].record?.title ?? title(table)
      return finding(.refusedWrite, line, "\(title) can only be read")
    case .state where !role.kind.mayWrite && role.kind != .effect:
      return finding(
        .refusedWrite, line, "\(role.kind.title) cannot change the state; a reducer does that")
    default: return nil
    }
  }

  private func isFromPayload(_ table: LuaTree.ExpressionID) -> Bool {
    shapes.shapes[table].record?.title.hasPrefix("the payload") == true
  }

  /// Checks for `s = { ... }`, which changes nothing.
  private func replaced(
    _ local: LuaTree.LocalID, _ value: LuaTree.ExpressionID?, _ line: Int
  ) -> [Finding] {
    guard case .parameter(0) = tree.locals[local].origin,
      let role = roles[tree.locals[local].function], role.kind.mayWrite, let value
    else { return [] }
    switch tree.expressions[tree.bare(value)].kind {
    case .table: break
    case .call where tree.locals[local].writes == 1:
      // A local that is never read again is meant to be the state.
      guard tree.locals[local].reads <= readsBefore(value, of: local) else { return [] }
    default: return []
    }
    let own = tree.locals[local].name
    return [
      finding(
        .replacedState, line, "\(own) = ... does not change the state: write \(own).field = value")
    ]
  }

  private func readsBefore(_ id: LuaTree.ExpressionID, of local: LuaTree.LocalID) -> Int {
    tree.expressions[...id].count {
      if case .local(local) = $0.kind { true } else { false }
    }
  }

  /// Checks for a global that a function assigns, which may have been meant to be a local.
  private func global(_ word: String, _ statement: LuaTree.Statement) -> [Finding] {
    guard statement.function != 0,
      role(of: statement.function) != nil
        || callers.helper(around: statement.function, in: tree) != nil
    else { return [] }
    let known = tree.locals.map(\.name)
    let advice = Names.suggestion(for: word, among: Set(known).sorted())
    return [
      finding(
        .refusedWrite, statement.line,
        "\(word) is a global, and globals are read-only once the flow has loaded; "
          + (advice.isEmpty ? "write local \(word), or store it in the state" : advice.dropFirst(2))
      )
    ]
  }

  /// Checks the result of a function.
  func result(_ value: LuaTree.ExpressionID, _ statement: LuaTree.Statement) -> [Finding] {
    guard let role = roles[statement.function] else { return [] }
    let line = statement.line
    if case .value(.function) = shapes.shapes[value], title(value) != "this",
      role.kind != .effect
    {
      return notCalled(value, line)
    }
    if let action = role.onDone.flatMap(flow.action) {
      return TypeCheck.payload(
        of: action, value, in: name, shapes, isWhole: role.keys == nil, line: line)
    }
    if role.kind == .effect { return lost(value, role, statement) }
    guard role.kind.mayWrite else { return [] }
    switch tree.expressions[tree.bare(value)].kind {
    case .table, .string, .number, .true, .binary, .field:
      return [
        finding(
          .replacedState, line,
          "a reducer changes the state in place and returns nothing: write \"s.field = value\"")
      ]
    default: return []
    }
  }

  /// Checks for the result of an effect that nothing takes.
  private func lost(
    _ value: LuaTree.ExpressionID, _ role: FunctionRole, _ statement: LuaTree.Statement
  ) -> [Finding] {
    guard !role.isResultTaken, shapes.functions.calls[statement.function] == nil,
      case .table(let items) = kind(value), !items.isEmpty
    else { return [] }
    return [
      finding(
        .lostResult, statement.line,
        "nothing uses the result of effect \(role.name): name an action in on_done, or dispatch one"
      )
    ]
  }

  /// The effects that end without a result, although the action of `on_done` requires fields.
  var missingResults: [Finding] {
    let ends = FunctionCheck(name: name, tree: tree, roles: roles)
    return roles.compactMap { function, role in
      guard role.kind == .effect, let action = role.onDone.flatMap(flow.action),
        !action.payload.requiredNames.allSatisfy({ role.keys?.contains($0) == true }),
        (shapes.functions.results[function] ?? []).allSatisfy({ $0 == nil }),
        !ends.alwaysEnds(tree.functions[function].body)
      else { return nil }
      let last = tree.functions[function].body.last.map { tree.statements[$0].line }
      return finding(
        .wrongPayload, last ?? tree.functions[function].line,
        "effect \(role.name) returns nothing, and \(action.name) requires "
          + Names.list(action.payload.requiredNames))
    }
  }

  /// Checks the definition of a function with a colon, which puts self before the function's own parameters.
  func definition(of place: LuaTree.ExpressionID, _ body: LuaTree.ExpressionID) -> [Finding] {
    guard case .field(let table, let member) = tree.expressions[place].kind,
      case .global(let word) = tree.expressions[table].kind, !globals.contains(word),
      ["reduce", "gate", "view", "invariant"].contains(word),
      case .function(let function) = tree.expressions[body].kind,
      tree.locals.contains(where: { $0.function == function && $0.origin == .ownSelf })
    else { return [] }
    return [
      finding(
        .dotForColon, tree.functions[function].line,
        "a colon puts self before the other parameters: write function \(word).\(member)(...)")
    ]
  }
}
