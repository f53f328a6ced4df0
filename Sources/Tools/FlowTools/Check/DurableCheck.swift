import FlowLanguage
import StateCharts

/// A check for things that do not survive a restart: locals that are lost, effects that leave something stuck.
struct DurableCheck {
  let text: FlowText
  private let roles: [String: [LuaTree.FunctionID: FunctionRole]]

  init(text: FlowText) {
    self.text = text
    roles = FunctionRoles(text).roles
  }

  var findings: [Finding] { locals + stuck }

  // MARK: Locals

  private var locals: [Finding] {
    changedLocals.map {
      Finding(
        .lostLocal, at: $0.place,
        "\($0.function) changes \($0.local), a local of the file, which a restart loses: store it in the state"
      )
    }
  }

  /// The locals of files that functions of the flow change, each once per function.
  var changedLocals: [ChangedLocal] {
    text.sources.flatMap { source -> [ChangedLocal] in
      guard let tree = source.tree else { return [] }
      let names = FunctionNames(tree, roles[source.name] ?? [:], migrations(in: source.name))
      var told: Set<String> = []
      return tree.statements.compactMap { statement -> ChangedLocal? in
        guard statement.function != 0,
          let local = changedLocal(by: statement, in: tree),
          let title = names.title(of: statement.function),
          told.insert("\(title) \(local)").inserted
        else { return nil }
        return ChangedLocal(
          place: SourcePlace(file: source.name, line: statement.line), function: title,
          local: tree.locals[local].name)
      }
    }
  }

  private func migrations(in file: String) -> [Int: String] {
    var lines: [Int: String] = [:]
    for (version, migration) in text.flow.migrations {
      if let place = migration.function?.place, place.file == file {
        lines[place.line] = "migrate.to_\(version)"
      }
    }
    return lines
  }

  /// Returns the local of the file that a statement assigns, or whose table it changes.
  private func changedLocal(
    by statement: LuaTree.Statement, in tree: LuaTree
  ) -> LuaTree.LocalID? {
    let places: [LuaTree.ExpressionID]
    switch statement.kind {
    case .assignment(let targets, _): places = targets
    case .call(let call):
      guard case .call(let callee, let arguments) = tree.expressions[call].kind,
        case .field(let library, let name) = tree.expressions[callee].kind,
        case .global("table") = tree.expressions[library].kind,
        ["insert", "remove", "sort"].contains(name)
      else { return nil }
      places = Array(arguments.prefix(1))
    default: return nil
    }
    return places.lazy.compactMap { root(of: $0, in: tree) }.first { tree.locals[$0].function == 0 }
  }

  private func root(of id: LuaTree.ExpressionID, in tree: LuaTree) -> LuaTree.LocalID? {
    switch tree.expressions[tree.bare(id)].kind {
    case .local(let local): local
    case .field(let table, _), .index(let table, _): root(of: table, in: tree)
    default: nil
    }
  }

  // MARK: Effects

  /// The findings about effects that a restart cuts off and that leave something behind.
  private var stuck: [Finding] {
    let causes = text.flow.causesOfEffects
    let ofActions = text.flow.effects.enumerated().compactMap { number, effect -> Finding? in
      let left = (causes[number] ?? []).lazy.compactMap(whatIsLeft).first
      return left.flatMap { finding(effect, $0) }
    }
    let ofStates = text.flow.stateEffects.compactMap { effect in
      finding(effect, "its state stays active")
    }
    return ofActions + ofStates
  }

  private func finding(_ effect: Effect, _ left: String) -> Finding? {
    guard !effect.isDurable, effect.onError == nil, mayWait(effect) else { return nil }
    return Finding(
      .cutOffEffect, at: effect.function.place,
      "a restart cuts off \(effect.title), and \(left): declare on_error, or durable = true"
    )
  }

  /// Returns a clause about the gatekeeper or machine that an action has already changed when its effect begins.
  private func whatIsLeft(by action: Action) -> String? {
    for index in action.gatekeepers {
      let gatekeeper = text.flow.gatekeepers[index]
      if gatekeeper.entries[action.name]?.attempt != nil {
        return "\(gatekeeper.title) stays held by \(action.name)"
      }
    }
    for index in action.machines {
      let machine = text.flow.machines[index]
      let moves = machine.chart.states.lazy.flatMap(\.transitions).contains {
        $0.trigger == .action(action.name) && $0.reach != .forbids && !$0.targets.isEmpty
      }
      if moves { return "\(machine.title) stays in the state to which \(action.name) leads" }
    }
    return nil
  }

  /// Returns true if an effect may wait; one that never waits has ended when its turn has.
  private func mayWait(_ effect: Effect) -> Bool {
    let place = effect.function.place
    guard let tree = text.sources.first(where: { $0.name == place.file })?.tree else { return true }
    let own = tree.functions.indices.filter { tree.functions[$0].line == place.line }
    guard own.count == 1 else { return true }
    return tree.expressions.contains { expression in
      tree.function(expression.function, isIn: own[0]) && waits(expression, in: tree)
    }
  }

  private func waits(_ expression: LuaTree.Expression, in tree: LuaTree) -> Bool {
    switch expression.kind {
    case .method(_, let name, _):
      return name != "cancel" && LibraryWords.libraries["string"]?.contains(name) != true
    case .call(let callee, _):
      switch tree.expressions[tree.bare(callee)].kind {
      case .global(let name):
        return ["sleep", "all", "race", "retry"].contains(name)
          || !LibraryWords.flow.contains(name)
      case .field(let table, _):
        if case .global(let name) = tree.expressions[tree.bare(table)].kind {
          return !LibraryWords.flow.contains(name)
        }
        return true
      default: return true
      }
    default: return false
    }
  }
}

/// A local that survives between calls and that a function of the flow changes, so it is not part of the state.
package struct ChangedLocal: Sendable {
  /// The first statement that changes it.
  package let place: SourcePlace
  /// The function, as messages name it: `reduce.put`.
  package let function: String
  package let local: String

  /// Returns all such locals of a flow.
  package static func all(in text: FlowText) -> [ChangedLocal] {
    DurableCheck(text: text).changedLocals
  }
}

/// The names of a file's functions in messages.
private struct FunctionNames {
  private let tree: LuaTree
  private let roles: [LuaTree.FunctionID: FunctionRole]
  private let migrations: [Int: String]
  /// The names that the file itself gives them, and the locals that hold them.
  private var own: [LuaTree.FunctionID: (name: String, local: LuaTree.LocalID?)] = [:]

  init(
    _ tree: LuaTree, _ roles: [LuaTree.FunctionID: FunctionRole], _ migrations: [Int: String]
  ) {
    (self.tree, self.roles, self.migrations) = (tree, roles, migrations)
    for statement in tree.statements {
      switch statement.kind {
      case .localFunction(let local, let body): add(body, tree.locals[local].name, local)
      case .function(let place, let body): add(body, path(place) ?? "", nil)
      case .local(let locals, let values):
        for (local, value) in zip(locals, values) { add(value, tree.locals[local].name, local) }
      case .assignment(let places, let values):
        for (place, value) in zip(places, values) { add(value, path(place) ?? "", nil) }
      default: break
      }
    }
  }

  private mutating func add(_ body: LuaTree.ExpressionID, _ name: String, _ local: Int?) {
    if case .function(let function) = tree.expressions[body].kind, !name.isEmpty {
      own[function] = (name, local)
    }
  }

  private func path(_ id: LuaTree.ExpressionID) -> String? {
    switch tree.expressions[id].kind {
    case .global(let name): name
    case .local(let local): tree.locals[local].name
    case .field(let table, let name): path(table).map { "\($0).\(name)" }
    default: nil
    }
  }

  /// Returns the name of the function that contains a statement.
  ///
  /// Nil if the function runs only while the file is loaded.
  func title(of function: LuaTree.FunctionID) -> String? {
    var (each, outermost): (LuaTree.FunctionID?, LuaTree.FunctionID) = (function, function)
    var known: String?
    while let id = each, id != 0 {
      if let role = roles[id] { return title(of: role) }
      if let title = migrations[tree.functions[id].line] { return title }
      known = known ?? own[id].map { "function \($0.name)" }
      outermost = id
      each = tree.functions[id].parent
    }
    if let local = own[outermost]?.local, !isUsedLater(local, by: outermost) { return nil }
    return known ?? "the function that begins in line \(tree.functions[function].line)"
  }

  private func isUsedLater(_ local: LuaTree.LocalID, by function: LuaTree.FunctionID) -> Bool {
    tree.expressions.contains { expression in
      if case .local(local) = expression.kind {
        expression.function != 0 && !tree.function(expression.function, isIn: function)
      } else {
        false
      }
    }
  }

  private func title(of role: FunctionRole) -> String {
    switch role.kind {
    case .rule: "gate \(role.name)"
    case .reducer: Names.dotted("reduce", role.name)
    case .view: Names.dotted("view", role.name)
    case .invariant: Names.dotted("invariant", role.name)
    case .key: "the key of scope \(role.name)"
    case .condition, .content: "a function of machine \(role.name)"
    case .choice: "a function of gatekeeper \(role.name)"
    case .effect: Names.dotted("effect", role.name)
    }
  }
}
