/// The texts that a flow writes into fields of a name, where it writes nothing else there.
struct FieldTexts {
  /// For each field its texts; a field that is given anything else is not among them.
  private(set) var values: [String: Set<String>] = [:]

  init(_ files: [TreeShapes]) {
    var open: Set<String> = []
    var written: Set<String> = []
    for file in files {
      let tree = file.tree
      for expression in tree.expressions {
        guard case .table(let items) = expression.kind else { continue }
        for case .named(let key, let value, _) in items { note(key, value, tree, &open) }
      }
      for statement in tree.statements {
        guard case .assignment(let targets, let values) = statement.kind else { continue }
        for (place, target) in targets.enumerated() {
          let value = place < values.count ? values[place] : nil
          switch tree.expressions[target].kind {
          case .field(_, let field):
            written.insert(field)
            if let value { note(field, value, tree, &open) } else { open.insert(field) }
          // A name that is worked out may be any.
          case .index(let table, let key) where tree.string(key) == nil:
            switch file.shapes[table].present {
            case .list, .map: break
            default: note(unnamed: value, tree, &open)
            }
          default: break
          }
        }
      }
    }
    // What nothing writes is the host's.
    values = values.filter { written.contains($0.key) && !open.contains($0.key) }
  }

  private mutating func note(
    _ field: String, _ value: LuaTree.ExpressionID, _ tree: LuaTree, _ open: inout Set<String>
  ) {
    switch tree.expressions[tree.bare(value)].kind {
    case .string(let text): values[field, default: []].insert(text)
    case .nil, .global("none"): break
    case .binary(let sign, let left, let right) where sign == "and" || sign == "or":
      if sign == "or" { note(field, left, tree, &open) }
      note(field, right, tree, &open)
    default: open.insert(field)
    }
  }

  /// `s[name] = value`: nothing is known any more where that is no table.
  private mutating func note(
    unnamed value: LuaTree.ExpressionID?, _ tree: LuaTree, _ open: inout Set<String>
  ) {
    guard let value else { return }
    switch tree.expressions[tree.bare(value)].kind {
    case .table, .number, .true, .false, .nil: break
    default: open.formUnion(values.keys)
    }
  }
}
