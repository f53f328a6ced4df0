/// A check for fields that are read before they are filled in.
///
/// The fields that a table omits get their initial values only when the function that puts the record ends.
struct PutCheck {
  let check: TreeCheck
  private var tree: LuaTree { check.tree }

  /// A record that was put somewhere and is not complete yet.
  private struct Put {
    /// The paths by which it can be reached, as texts.
    var places: Set<String>
    /// The fields that will be filled in.
    var missing: Set<String>
    let title: String
    let line: Int
  }

  init(check: TreeCheck) { self.check = check }

  var findings: [Finding] {
    var found: [Finding] = []
    for (number, function) in tree.functions.enumerated()
    where check.role(of: number)?.kind.mayWrite == true
      || check.shapes.functions.calls[number] != nil
    {
      var puts: [Put] = []
      walk(function.body, &puts, &found)
    }
    return found
  }

  private func walk(
    _ block: [LuaTree.StatementID], _ puts: inout [Put], _ found: inout [Finding]
  ) {
    for statement in block {
      switch tree.statements[statement].kind {
      case .local(let locals, let values):
        for value in values { read(value, puts, &found) }
        for (local, value) in zip(locals, values) { name(local, value, &puts) }
      case .assignment(let targets, let values):
        for value in values { read(value, puts, &found) }
        for (target, value) in zip(targets, values) {
          if case .field(let table, _) = tree.expressions[target].kind { read(table, puts, &found) }
          assign(target, value, tree.statements[statement].line, &puts)
        }
      case .call(let call):
        read(call, puts, &found)
        insert(call, &puts)
      case .return(let values): for value in values { read(value, puts, &found) }
      case .conditional(let branches, let otherwise):
        var after = puts
        for branch in branches {
          read(branch.condition, puts, &found)
          var inner = puts
          walk(branch.block, &inner, &found)
          after += inner.filter { put in !after.contains { $0.line == put.line } }
        }
        if let otherwise {
          var inner = puts
          walk(otherwise, &inner, &found)
          after += inner.filter { put in !after.contains { $0.line == put.line } }
        }
        puts = after
      case .block(let inner), .loop(_, let inner), .until(let inner, _),
        .numericFor(_, _, let inner),
        .genericFor(_, _, let inner):
        walk(inner, &puts, &found)
      default: break
      }
    }
  }

  // MARK: Putting

  private func assign(
    _ target: LuaTree.ExpressionID, _ value: LuaTree.ExpressionID, _ line: Int, _ puts: inout [Put]
  ) {
    let place = tree.path(target)
    puts.removeAll { place.map($0.places.contains) == true }
    if let put = put(value, at: place.map { [$0] } ?? [], check.shapes.shapes[target], line) {
      puts.append(put)
    }
    guard case .field(let table, let field) = tree.expressions[target].kind,
      let around = tree.path(table)
    else { return }
    for number in puts.indices where puts[number].places.contains(around) {
      puts[number].missing.remove(field)
    }
  }

  /// `table.insert(s.items, { ... })`.
  private func insert(_ call: LuaTree.ExpressionID, _ puts: inout [Put]) {
    guard case .call(let callee, let arguments) = tree.expressions[call].kind, arguments.count == 2,
      case .field(let table, "insert") = tree.expressions[callee].kind,
      case .global("table") = tree.expressions[table].kind, let list = tree.path(arguments[0])
    else { return }
    let shape = check.shapes.shapes[arguments[0]].element
    if let put = put(
      arguments[1], at: ["\(list)[#\(list)]"], shape, tree.expressions[call].line)
    {
      puts.append(put)
    }
  }

  private func put(
    _ value: LuaTree.ExpressionID, at places: Set<String>, _ shape: Shape, _ line: Int
  ) -> Put? {
    var places = places
    var table = tree.bare(value)
    if case .local(let local) = tree.expressions[table].kind,
      case .declared(let given?) = tree.locals[local].origin, tree.locals[local].writes == 0
    {
      places.insert("=\(local)")
      table = tree.bare(given)
    }
    guard case .table(let items) = tree.expressions[table].kind, let record = shape.record,
      case .record(let fields)? = record.type
    else { return nil }
    var missing = Set(fields.filter { $0.type.beginning != nil && !$0.type.isOptional }.map(\.name))
    missing.formUnion(record.machines.keys)
    for item in items {
      guard case .named(let key, _, _) = item else { return nil }
      missing.remove(key)
    }
    return Put(places: places, missing: missing, title: record.title, line: line)
  }

  /// `local p = s.players[a.id]`.
  private func name(
    _ local: LuaTree.LocalID, _ value: LuaTree.ExpressionID, _ puts: inout [Put]
  ) {
    guard let place = tree.path(value) else { return }
    for number in puts.indices where puts[number].places.contains(place) {
      puts[number].places.insert("=\(local)")
    }
  }

  // MARK: Reading

  private func read(_ id: LuaTree.ExpressionID, _ puts: [Put], _ found: inout [Finding]) {
    if puts.isEmpty { return }
    switch tree.expressions[id].kind {
    case .field(let table, let field):
      read(table, puts, &found)
      guard let place = tree.path(table),
        let put = puts.first(where: { $0.places.contains(place) && $0.missing.contains(field) })
      else { return }
      found.append(
        check.finding(
          .earlyDefault, tree.expressions[id].line,
          "\(put.title).\(field) has no value yet: the record was added in line \(put.line), and "
            + "gets its defaults when the function ends; set the field there"))
    case .index(let table, let key):
      read(table, puts, &found)
      read(key, puts, &found)
    case .call(let callee, let arguments):
      read(callee, puts, &found)
      for argument in arguments { read(argument, puts, &found) }
    case .method(let receiver, _, let arguments):
      read(receiver, puts, &found)
      for argument in arguments { read(argument, puts, &found) }
    case .unary(_, let operand), .parenthesised(let operand): read(operand, puts, &found)
    // An omitted field is tested for, or has a default.
    case .binary("or", _, let right): read(right, puts, &found)
    case .binary(let sign, let left, let right):
      if sign == "==" || sign == "~=",
        [left, right].contains(where: {
          if case .value(.none) = check.shapes.shapes[$0] { true } else { false }
        })
      {
        return
      }
      read(left, puts, &found)
      read(right, puts, &found)
    case .table(let items): for item in items { read(item.value, puts, &found) }
    default: break
    }
  }
}
