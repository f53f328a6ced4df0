/// The shapes of all expressions of a file, as far as the declarations of its flow determine them.
struct TreeShapes {
  let tree: LuaTree
  let functions: TreeFunctions
  /// The shape of each expression.
  private(set) var shapes: [Shape] = []
  /// For each expression the parameter that it is, or from which it is reached.
  private(set) var roots: [LuaTree.LocalID?] = []
  private let views: [String: Shape]
  private var parameters: [LuaTree.LocalID: Shape] = [:]
  /// The first other assignment of each local, up to which its shape is known, in loops too.
  private var firstWrites: [LuaTree.LocalID: LuaTree.ExpressionID] = [:]
  private var answers: [LuaTree.FunctionID: Shape] = [:]
  private let constants: ConstantTables

  /// The number of times that shapes are passed on to functions of the file.
  private static let rounds = 4

  /// Makes the shapes; `views` are the shapes of the views' results, as far as they are known already.
  init(
    _ tree: LuaTree, _ roles: [LuaTree.FunctionID: FunctionRole], views: [String: Shape] = [:]
  ) {
    self.tree = tree
    self.views = views
    functions = TreeFunctions(tree)
    constants = ConstantTables(tree)
    for (function, role) in roles {
      for (local, parameter) in zip(tree.functions[function].parameters, role.parameters) {
        parameters[local] = parameter.shape
      }
    }
    for statement in tree.statements {
      guard case .assignment(let targets, _) = statement.kind else { continue }
      for target in targets {
        if case .local(let local) = tree.expressions[target].kind {
          firstWrites[local] = min(firstWrites[local] ?? target, target)
        }
      }
    }
    let fixed = Set(parameters.keys)
    for _ in 0..<TreeShapes.rounds {
      read()
      let isNew = follow(besides: fixed)
      if !answer(), !isNew { break }
    }
  }

  private mutating func read() {
    shapes.removeAll(keepingCapacity: true)
    roots.removeAll(keepingCapacity: true)
    for (id, expression) in tree.expressions.enumerated() {
      if let local = constants.locals[id], case .table(let items) = expression.kind {
        shapes.append(constants.shape(of: items, titled: tree.locals[local].name, shapes))
        roots.append(nil)
        continue
      }
      let (shape, root) = read(expression.kind)
      shapes.append(shape)
      roots.append(root)
    }
  }

  private func read(_ kind: LuaTree.Expression.Kind) -> (Shape, LuaTree.LocalID?) {
    switch kind {
    case .local(let local): return read(local: local)
    case .field(let table, let name):
      if case .global("view") = tree.expressions[table].kind { return (.value(.function), nil) }
      if let record = shapes[table].record {
        return (record.fields[name] ?? .unknown, roots[table])
      }
      // A list has no named elements.
      if case .list = shapes[table].present { return (.unknown, roots[table]) }
      return (shapes[table].element, roots[table])
    case .index(let table, let key):
      if let record = shapes[table].record, let name = tree.string(key) {
        return (record.fields[name] ?? .unknown, roots[table])
      }
      if let element = ConstantTables.element(of: shapes[table]) { return (element, nil) }
      return (shapes[table].element, roots[table])
    case .parenthesised(let inner): return (shapes[inner], roots[inner])
    case .binary("and", let left, let right):
      if shapes[left].kind == .boolean, shapes[right].kind == .boolean {
        return (.value(.boolean), nil)
      }
      return (.optional(shapes[right]), roots[right])
    case .binary("or", let left, let right):
      return (.common([shapes[left].present, shapes[right]]), roots[left] ?? roots[right])
    case .call(let callee, let arguments):
      let isTaken = isLibrary(callee, "table", "remove")
      return (
        shape(ofCall: callee, arguments), isTaken ? arguments.first.flatMap { roots[$0] } : nil
      )
    default: return (plain(kind), nil)
    }
  }

  private func read(local id: LuaTree.LocalID) -> (Shape, LuaTree.LocalID?) {
    let local = tree.locals[id]
    if case .parameter = local.origin, let write = firstWrites[id], shapes.count < write {
      return (parameters[id] ?? .unknown, id)
    }
    guard local.writes == 0 else { return (.unknown, nil) }
    switch local.origin {
    case .parameter: return (parameters[id] ?? .unknown, id)
    case .declared(let value?) where value < shapes.count: return (shapes[value], roots[value])
    case .element(let place, of: let call) where call < shapes.count && place < 2:
      guard case .call(let callee, let arguments) = tree.expressions[call].kind,
        case .global(let name) = tree.expressions[callee].kind, name == "ipairs" || name == "pairs",
        let list = arguments.first
      else { return (.unknown, nil) }
      if place == 1 {
        return (ConstantTables.element(of: shapes[list]) ?? shapes[list].element, roots[list])
      }
      return (name == "ipairs" ? .value(.integer) : shapes[list].key, nil)
    case .function: return (.value(.function), nil)
    default: return (.unknown, nil)
    }
  }

  // MARK: Values

  private func plain(_ kind: LuaTree.Expression.Kind) -> Shape {
    switch kind {
    case .nil, .global("none"): .value(.none)
    case .true, .false: .value(.boolean)
    case .string: .value(.string)
    case .number(let text): .value(TreeShapes.kind(ofNumber: text))
    case .table: .value(.table)
    case .function: .value(.function)
    case .global(let word) where LibraryWords.called.contains(word): .value(.function)
    case .unary("not", _): .value(.boolean)
    case .unary("#", _): .value(.integer)
    case .unary("-", let operand):
      shapes[operand].kind?.isNumber == true ? .value(shapes[operand].kind ?? .number) : .unknown
    case .binary(let sign, let left, let right): calculated(sign, left, right)
    case .method(let receiver, let name, _): shape(ofMethod: name, of: receiver)
    default: .unknown
    }
  }

  private static func kind(ofNumber text: String) -> Shape.Kind {
    if Int(text) != nil || text.hasPrefix("0x") { return .integer }
    guard let number = Double(text) else { return .number }
    return number == number.rounded() ? .number : .fraction
  }

  private func calculated(
    _ sign: String, _ left: LuaTree.ExpressionID, _ right: LuaTree.ExpressionID
  ) -> Shape {
    let kinds = [shapes[left].kind, shapes[right].kind]
    let areIntegers = kinds.allSatisfy { $0 == .integer }
    switch sign {
    case "==", "~=", "<", ">", "<=", ">=": return .value(.boolean)
    case "..": return .value(.string)
    case "/", "^": return .value(.fraction)
    case "+", "-":
      if areIntegers { return .value(.integer) }
      return .value(kinds.contains(.fraction) ? .fraction : .number)
    case "*", "%", "//": return .value(areIntegers ? .integer : .number)
    case "&", "|", "~", "<<", ">>": return .value(.integer)
    default: return .unknown
    }
  }

  private func isLibrary(
    _ callee: LuaTree.ExpressionID, _ library: String, _ member: String
  ) -> Bool {
    guard case .field(let table, member) = tree.expressions[callee].kind else { return false }
    if case .global(library) = tree.expressions[table].kind { return true }
    return false
  }

  private func shape(
    ofCall callee: LuaTree.ExpressionID, _ arguments: [LuaTree.ExpressionID]
  ) -> Shape {
    if let function = functions.function(at: callee) { return answers[function] ?? .unknown }
    switch tree.expressions[callee].kind {
    case .global("date") where !functions.assigned.contains("date"): return .date
    case .global(let word): return LibraryWords.results[word].map { .value($0) } ?? .unknown
    case .field(let table, let member):
      guard case .global(let library) = tree.expressions[table].kind else { return .unknown }
      switch (library, member) {
      case ("view", _): return views[member] ?? .unknown
      case ("table", "remove"):
        guard let list = arguments.first, case .list(let element, _) = shapes[list].present else {
          return .unknown
        }
        return .optional(element)
      case ("math", "max"), ("math", "min"), ("math", "abs"):
        return .common(arguments.map { .value(shapes[$0].kind ?? .number) })
      case ("string", _): return shape(ofText: member)
      default: return LibraryWords.results["\(library).\(member)"].map { .value($0) } ?? .unknown
      }
    default: return .unknown
    }
  }

  private func shape(ofMethod name: String, of receiver: LuaTree.ExpressionID) -> Shape {
    shapes[receiver].kind == .string ? shape(ofText: name) : .unknown
  }

  private func shape(ofText function: String) -> Shape {
    LibraryWords.results["string.\(function)"].map { .value($0) } ?? .unknown
  }

  // MARK: Functions of the file

  /// Passes the shapes of arguments on to functions of the file; returns true if that determined a new one.
  private mutating func follow(besides fixed: Set<LuaTree.LocalID>) -> Bool {
    var isNew = false
    for (function, calls) in functions.calls where !functions.escaped.contains(function) {
      for (place, parameter) in tree.functions[function].parameters.enumerated()
      where !fixed.contains(parameter) {
        let given = calls.compactMap { call -> Shape? in
          let arguments = functions.arguments(of: call)
          return place < arguments.count ? shapes[arguments[place]] : nil
        }
        guard given.count == calls.count else { continue }
        let shape = Shape.common(given)
        if case .unknown = shape { continue }
        if parameters[parameter] == nil { isNew = true }
        parameters[parameter] = shape
      }
    }
    return isNew
  }

  /// Sets the result shapes of functions of the file; returns true if that determined a new one.
  private mutating func answer() -> Bool {
    var isNew = false
    for function in functions.calls.keys where answers[function] == nil {
      let shape = result(of: function)
      if case .unknown = shape { continue }
      answers[function] = shape
      isNew = true
    }
    return isNew
  }

  /// Returns the shape of a function's first result.
  func result(of function: LuaTree.FunctionID) -> Shape {
    let results = functions.results[function] ?? []
    guard !results.isEmpty, tree.functions[function].body.last.map(isReturn) == true else {
      return .unknown
    }
    var found: [Shape] = []
    for case let id? in results {
      if case .value(.none) = shapes[id] { continue }
      found.append(shapes[id])
    }
    let hasNone = found.count < results.count
    let shape = Shape.common(found)
    if case .unknown = shape { return shape }
    return hasNone ? .optional(shape) : shape
  }

  private func isReturn(_ statement: LuaTree.StatementID) -> Bool {
    if case .return = tree.statements[statement].kind { true } else { false }
  }

  /// Returns the shape of a view's result: a table constructor is a record of exactly these fields.
  func answer(ofView name: String, _ function: LuaTree.FunctionID) -> Shape {
    let results = (functions.results[function] ?? []).compactMap(\.self)
    guard results.count == 1, case .table(let items) = tree.expressions[tree.bare(results[0])].kind
    else { return result(of: function) }
    var record = Shape.Record(title: "the result of view \(name)", fields: [:])
    for item in items {
      guard case .named(let key, let value, _) = item else { return .unknown }
      record.fields[key] = shapes[value]
    }
    return items.isEmpty ? .unknown : .record(record)
  }
}
