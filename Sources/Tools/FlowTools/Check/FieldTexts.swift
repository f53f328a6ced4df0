/// The texts that a flow writes into fields of a name, if it writes nothing else there.
struct FieldTexts {
  /// The texts of each field; a field that also gets other values is not among them.
  private(set) var values: [String: Set<String>] = [:]

  init(_ files: [TreeShapes]) {
    var open: Set<String> = []
    var written: Set<String> = []
    for file in files {
      let tree = file.tree
      for expression in tree.expressions {
        guard case .table(let items) = expression.kind else { continue }
        for case .named(let key, let value, _) in items { addTexts(key, value, tree, &open) }
      }
      for statement in tree.statements {
        guard case .assignment(let targets, let values) = statement.kind else { continue }
        for (place, target) in targets.enumerated() {
          let value = place < values.count ? values[place] : nil
          switch tree.expressions[target].kind {
          case .field(_, let field):
            written.insert(field)
            if let value { addTexts(field, value, tree, &open) } else { open.insert(field) }
          // A computed name may be any.
          case .index(let table, let key) where tree.string(key) == nil:
            switch file.shapes[table].present {
            case .list, .map: break
            default: addTexts(unnamed: value, tree, &open)
            }
          default: break
          }
        }
      }
    }
    // A field that the flow never writes belongs to the host.
    values = values.filter { written.contains($0.key) && !open.contains($0.key) }
  }

  private mutating func addTexts(
    _ field: String, _ value: LuaTree.ExpressionID, _ tree: LuaTree, _ open: inout Set<String>
  ) {
    switch tree.expressions[tree.bare(value)].kind {
    case .string(let text): values[field, default: []].insert(text)
    case .nil, .global("none"): break
    case .binary(let sign, let left, let right) where sign == "and" || sign == "or":
      if sign == "or" { addTexts(field, left, tree, &open) }
      addTexts(field, right, tree, &open)
    default: open.insert(field)
    }
  }

  /// Handles `s[name] = value`, after which nothing is known unless the value is a table.
  private mutating func addTexts(
    unnamed value: LuaTree.ExpressionID?, _ tree: LuaTree, _ open: inout Set<String>
  ) {
    guard let value else { return }
    switch tree.expressions[tree.bare(value)].kind {
    case .table, .number, .true, .false, .nil: break
    default: open.formUnion(values.keys)
    }
  }
}
