import Moonlatch

/// What stands at each expression of a file, as far as the declarations of its flow say.
struct TreeShapes {
  let tree: LuaTree
  /// For each expression.
  private(set) var shapes: [Shape] = []
  private var parameters: [LuaTree.LocalID: Shape] = [:]
  /// Where a local is first given something else: in a loop too it is what it was up to there.
  private var firstWrites: [LuaTree.LocalID: LuaTree.ExpressionID] = [:]

  /// Whether and how the call of an own function says what its parameters are: the same at each call.
  private static let rounds = 3

  init(_ tree: LuaTree, _ roles: [LuaTree.FunctionID: FunctionRole]) {
    self.tree = tree
    for (function, role) in roles {
      for (place, local) in tree.functions[function].parameters.prefix(2).enumerated()
      where role.kind != .effect {
        parameters[local] = place == 0 ? role.state : role.payload
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
      if !follow(besides: fixed) { break }
    }
  }

  private mutating func read() {
    shapes = []
    shapes.reserveCapacity(tree.expressions.count)
    for expression in tree.expressions { shapes.append(shape(of: expression.kind)) }
  }

  private func shape(of kind: LuaTree.Expression.Kind) -> Shape {
    switch kind {
    case .local(let local): shape(ofLocal: local)
    case .field(let table, let name):
      if case .record(let record) = shapes[table] {
        record.fields[name] ?? .unknown
      } else {
        shapes[table].element
      }
    case .index(let table, _): shapes[table].element
    case .parenthesised(let inner): shapes[inner]
    case .binary("and", _, let right): shapes[right]
    default: .unknown
    }
  }

  private func shape(ofLocal id: LuaTree.LocalID) -> Shape {
    let local = tree.locals[id]
    if case .parameter = local.origin, let write = firstWrites[id], shapes.count < write {
      return parameters[id] ?? .unknown
    }
    guard local.writes == 0 else { return .unknown }
    switch local.origin {
    case .parameter: return parameters[id] ?? .unknown
    case .declared(let value?) where value < shapes.count: return shapes[value]
    case .element(1, of: let call) where call < shapes.count:
      guard case .call(let callee, let arguments) = tree.expressions[call].kind,
        case .global(let name) = tree.expressions[callee].kind, name == "ipairs" || name == "pairs",
        let list = arguments.first
      else { return .unknown }
      return shapes[list].element
    default: return .unknown
    }
  }

  /// Tells functions of the file what they are given; whether that says anything new.
  private mutating func follow(besides fixed: Set<LuaTree.LocalID>) -> Bool {
    var given: [LuaTree.LocalID: [Shape]] = [:]
    var calls: [LuaTree.LocalID: Int] = [:]
    for expression in tree.expressions {
      guard case .call(let callee, let arguments) = expression.kind,
        case .local(let local) = tree.expressions[callee].kind, tree.locals[local].writes == 0,
        case .function(let body?) = tree.locals[local].origin,
        case .function(let function) = tree.expressions[body].kind
      else { continue }
      calls[local, default: 0] += 1
      for (parameter, argument) in zip(tree.functions[function].parameters, arguments) {
        given[parameter, default: []].append(shapes[argument])
      }
    }
    // What is named where it is not called may be given anything.
    let known = calls.filter { tree.locals[$0.key].reads == $0.value }
    var isNew = false
    for local in known.keys {
      guard case .function(let body?) = tree.locals[local].origin,
        case .function(let function) = tree.expressions[body].kind
      else { continue }
      for parameter in tree.functions[function].parameters where !fixed.contains(parameter) {
        guard let shapes = given[parameter], shapes.count == calls[local],
          let shape = TreeShapes.common(shapes)
        else { continue }
        if parameters[parameter] == nil { isNew = true }
        parameters[parameter] = shape
      }
    }
    return isNew
  }

  private static func common(_ shapes: [Shape]) -> Shape? {
    guard case .record(let first)? = shapes.first else { return nil }
    for shape in shapes {
      guard case .record(let record) = shape, record.title == first.title else { return nil }
    }
    return shapes.first
  }
}
