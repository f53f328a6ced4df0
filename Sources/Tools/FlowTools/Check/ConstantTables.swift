/// The tables of literals that a file declares as locals and never changes.
///
/// A table that the file passes on as a whole is not among them. A field that the file assigns to any other table may be
/// one of theirs too, since records in them can be passed on.
struct ConstantTables {
  /// The local of each such constructor.
  private(set) var locals: [LuaTree.ExpressionID: LuaTree.LocalID] = [:]
  private let tree: LuaTree
  /// The names of the fields that the file assigns.
  private var assigned: Set<String> = []

  /// The functions that read their arguments only.
  private static let reading: Set<String> = [
    "ipairs", "pairs", "next", "print", "type", "table.concat", "table.count", "table.sum",
    "table.find", "table.any", "table.all", "table.map", "table.filter", "table.unpack",
    "table.choice",
  ]

  init(_ tree: LuaTree) {
    self.tree = tree
    var constants: Set<LuaTree.LocalID> = []
    for (id, local) in tree.locals.enumerated() where local.writes == 0 {
      if constructor(of: id) != nil { constants.insert(id) }
    }
    guard !constants.isEmpty else { return }
    constants.subtract(passedOn)
    for target in targets {
      switch tree.expressions[target].kind {
      case .field(let table, let name):
        if let root = root(of: table) { constants.remove(root) } else { assigned.insert(name) }
      case .index(let table, _):
        if let root = root(of: table) { constants.remove(root) }
      default: break
      }
    }
    for list in changedLists {
      if let root = root(of: list) { constants.remove(root) }
    }
    for local in constants {
      if let table = constructor(of: local) { locals[table] = local }
    }
  }

  private func constructor(of local: LuaTree.LocalID) -> LuaTree.ExpressionID? {
    guard case .declared(let value?) = tree.locals[local].origin,
      case .table(let items) = tree.expressions[tree.bare(value)].kind, !items.isEmpty
    else { return nil }
    return tree.bare(value)
  }

  /// The places that statements assign.
  private var targets: [LuaTree.ExpressionID] {
    tree.statements.flatMap { statement -> [LuaTree.ExpressionID] in
      switch statement.kind {
      case .assignment(let targets, _): targets
      case .function(let target, _): [target]
      default: []
      }
    }
  }

  /// The lists that functions of the library change.
  private var changedLists: [LuaTree.ExpressionID] {
    tree.expressions.compactMap { expression in
      guard case .call(let callee, let arguments) = expression.kind,
        case .field(let library, let member) = tree.expressions[callee].kind,
        case .global("table") = tree.expressions[library].kind,
        ["insert", "remove", "sort", "shuffle", "move"].contains(member)
      else { return nil }
      return arguments.first
    }
  }

  /// The locals that are used other than by their fields and elements, or as arguments of functions that read.
  private var passedOn: Set<LuaTree.LocalID> {
    var harmless: Set<LuaTree.ExpressionID> = []
    for expression in tree.expressions {
      switch expression.kind {
      case .field(let table, _), .index(let table, _), .unary("#", let table):
        harmless.insert(table)
      case .call(let callee, let arguments) where isReading(callee):
        harmless.formUnion(arguments)
      default: break
      }
    }
    var found: Set<LuaTree.LocalID> = []
    for (id, expression) in tree.expressions.enumerated() where !harmless.contains(id) {
      if case .local(let local) = expression.kind { found.insert(local) }
    }
    return found
  }

  private func isReading(_ callee: LuaTree.ExpressionID) -> Bool {
    switch tree.expressions[callee].kind {
    case .global(let word): return ConstantTables.reading.contains(word)
    case .field(let table, let member):
      guard case .global(let library) = tree.expressions[table].kind else { return false }
      return ConstantTables.reading.contains("\(library).\(member)")
    default: return false
    }
  }

  /// Returns the local from which a place is reached, through other locals.
  private func root(of id: LuaTree.ExpressionID) -> LuaTree.LocalID? {
    var id = tree.bare(id)
    while true {
      switch tree.expressions[id].kind {
      case .field(let table, _), .index(let table, _): id = tree.bare(table)
      case .local(let local):
        guard constructor(of: local) == nil else { return local }
        switch tree.locals[local].origin {
        case .declared(let value?) where value < id: id = tree.bare(value)
        case .element(_, of: let call):
          guard case .call(_, let arguments) = tree.expressions[call].kind,
            let list = arguments.first, list < id
          else { return nil }
          id = tree.bare(list)
        default: return nil
        }
      default: return nil
      }
    }
  }

  // MARK: Shapes

  /// Returns the shape of a constructor, from the shapes of its values.
  func shape(of items: [LuaTree.Item], titled title: String, _ shapes: [Shape]) -> Shape {
    let isList = items.allSatisfy { if case .positional = $0 { true } else { false } }
    if isList {
      let elements = items.map { shape(of: $0.value, titled: "\(title)[...]", shapes) }
      return .list(ConstantTables.common(elements), nil)
    }
    var record = Shape.Record(title: title, fields: [:], written: assigned, isConstant: true)
    for item in items {
      guard case .named(let name, let value, _) = item else { return .value(.table) }
      let isKnown = !assigned.contains(name)
      record.fields[name] =
        isKnown ? shape(of: value, titled: "\(title).\(name)", shapes) : .unknown
    }
    return .record(record)
  }

  /// Returns the shape of any element of a table; nil if it is no record that a constructor declares.
  static func element(of shape: Shape) -> Shape? {
    guard let record = shape.record, record.isConstant else { return nil }
    var element = common(Array(record.fields.values))
    if case .record(var inner) = element {
      inner.title = "\(record.title)[...]"
      element = .record(inner)
    }
    return element
  }

  /// Returns the shape that several constants have in common; a field that one of them lacks has an unknown shape.
  private static func common(_ shapes: [Shape]) -> Shape {
    guard let first = shapes.first else { return .unknown }
    let records = shapes.compactMap(\.record)
    if records.isEmpty {
      guard shapes.allSatisfy({ $0.kind != .table }) else { return .unknown }
      let areNumbers = shapes.allSatisfy { $0.kind?.isNumber == true }
      return shapes.count == 1 ? first : areNumbers ? .value(.number) : .common(shapes)
    }
    guard records.count == shapes.count, records.allSatisfy(\.isConstant), var merged = first.record
    else { return .unknown }
    for name in Set(records.flatMap(\.fields.keys)) {
      let fields = records.compactMap { $0.fields[name] }
      merged.fields[name] = fields.count == records.count ? common(fields) : .unknown
    }
    return .record(merged)
  }

  private func shape(
    of value: LuaTree.ExpressionID, titled title: String, _ shapes: [Shape]
  ) -> Shape {
    let value = tree.bare(value)
    if case .table(let items) = tree.expressions[value].kind, !items.isEmpty {
      return shape(of: items, titled: title, shapes)
    }
    switch tree.expressions[value].kind {
    case .number, .string, .true, .false, .unary("-", _): return shapes[value]
    default: return .unknown
    }
  }
}
