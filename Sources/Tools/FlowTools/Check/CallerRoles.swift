/// The roles of functions that the flow does not call itself, by the roles of their callers.
struct CallerRoles {
  let functions: TreeFunctions
  private let own: [LuaTree.FunctionID: FunctionRole]
  private var known: [LuaTree.FunctionID: [FunctionRole]] = [:]
  /// The words of effects that each function uses, by itself or in functions that it calls.
  private(set) var words: [LuaTree.FunctionID: Set<String>] = [:]

  /// The depth to which calls are followed.
  private static let rounds = 4

  init(_ functions: TreeFunctions, _ roles: [LuaTree.FunctionID: FunctionRole]) {
    (self.functions, own) = (functions, roles)
    for _ in 0..<CallerRoles.rounds {
      for (function, calls) in functions.calls where roles[function] == nil {
        // One role of each kind is enough.
        var kinds: Set<FunctionRole.Kind> = []
        known[function] = calls.flatMap { call -> [FunctionRole] in
          let caller = functions.tree.expressions[call].function
          if let role = role(around: caller) { return [role] }
          return helper(around: caller, in: functions.tree).flatMap { known[$0] } ?? []
        }.filter { kinds.insert($0.kind).inserted }
      }
    }
    readWords()
  }

  private func role(around function: LuaTree.FunctionID) -> FunctionRole? {
    var next: LuaTree.FunctionID? = function
    while let id = next {
      if let role = own[id] { return role }
      next = functions.tree.functions[id].parent
    }
    return nil
  }

  /// Returns the roles of a function's callers, as far as they are known.
  func roles(of function: LuaTree.FunctionID) -> [FunctionRole] { known[function] ?? [] }

  /// Returns the innermost enclosing function that the file calls by its name.
  func helper(around function: LuaTree.FunctionID, in tree: LuaTree) -> LuaTree.FunctionID? {
    var next: LuaTree.FunctionID? = function
    while let id = next {
      if functions.calls[id] != nil { return id }
      next = tree.functions[id].parent
    }
    return nil
  }

  private mutating func readWords() {
    let tree = functions.tree
    for expression in tree.expressions {
      guard case .global(let word) = expression.kind, LibraryWords.ofEffects.contains(word),
        let function = helper(around: expression.function, in: tree)
      else { continue }
      words[function, default: []].insert(word)
    }
    for _ in 0..<CallerRoles.rounds {
      for (function, calls) in functions.calls {
        guard let used = words[function] else { continue }
        for call in calls {
          if let caller = helper(around: tree.expressions[call].function, in: tree) {
            words[caller, default: []].formUnion(used)
          }
        }
      }
    }
  }
}

/// The parameters whose fields or elements the functions of a file write.
struct ChangedParameters {
  private var places: [LuaTree.FunctionID: Set<Int>] = [:]

  /// The depth to which calls are followed.
  private static let rounds = 4

  init(_ shapes: TreeShapes) {
    let tree = shapes.tree
    for statement in tree.statements {
      guard case .assignment(let targets, _) = statement.kind else { continue }
      for target in targets {
        switch tree.expressions[target].kind {
        case .field(let table, _), .index(let table, _): markChanged(table, shapes)
        default: break
        }
      }
    }
    for expression in tree.expressions {
      guard case .call(let callee, let arguments) = expression.kind, let list = arguments.first,
        case .field(let table, let member) = tree.expressions[callee].kind,
        case .global("table") = tree.expressions[table].kind,
        ["insert", "remove", "sort"].contains(member)
      else { continue }
      markChanged(list, shapes)
    }
    for _ in 0..<ChangedParameters.rounds {
      for (function, calls) in shapes.functions.calls {
        guard let changed = places[function] else { continue }
        for call in calls {
          let arguments = shapes.functions.arguments(of: call)
          for place in changed where place < arguments.count {
            markChanged(arguments[place], shapes)
          }
        }
      }
    }
  }

  private mutating func markChanged(_ table: LuaTree.ExpressionID, _ shapes: TreeShapes) {
    guard let local = shapes.roots[table],
      case .parameter(let place) = shapes.tree.locals[local].origin
    else { return }
    places[shapes.tree.locals[local].function, default: []].insert(place)
  }

  func of(_ function: LuaTree.FunctionID) -> Set<Int> { places[function] ?? [] }
}
