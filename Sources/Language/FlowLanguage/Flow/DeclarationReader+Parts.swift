import HeapModule
import LuaRuntime

/// Reading the declarations that refer to actions: machines, gatekeepers, scopes, effects.
extension DeclarationReader {
  package mutating func readMachines(into flow: inout Flow) {
    var reader = MachineReader(lines: lines, actions: Array(flow.indexOfAction.keys))
    for entry in entries("machines") {
      guard let machine = reader.read(entry, place: place(entry)) else { continue }
      let index = flow.machines.count
      flow.machines.append(machine)
      for name in machine.takers.keys {
        if let action = flow.indexOfAction[name] { flow.actions[action].machines.append(index) }
      }
      checkTimers(of: machine, in: flow)
      checkEffects(of: machine, in: flow)
    }
    faults += reader.faults
  }

  mutating func readGatekeepers(into flow: inout Flow) {
    for entry in entries("gatekeepers") {
      let place = place(entry)
      guard let gatekeeper = GatekeeperPolicy(entry, place: place) else { continue }
      let index = flow.gatekeepers.count
      flow.gatekeepers.append(gatekeeper)
      for name in gatekeeper.entries.keys.sorted() {
        let named = { [lines] in
          lines.place(of: [.field(name)], in: "gatekeeper", named: gatekeeper.name, at: place)
        }
        guard let action = find(name, for: gatekeeper.title, at: named(), in: flow) else {
          continue
        }
        flow.actions[action].gatekeepers.append(index)
      }
      for option in gatekeeper.neverAttempted {
        fault(
          place,
          gatekeeper.isYesNo
            ? "\(gatekeeper.title): no action attempts a passage"
            : "\(gatekeeper.title): \"\(option)\" is tested or reset, but no action attempts it")
      }
    }
  }

  mutating func readScopes(into flow: inout Flow) {
    var declared = entries("scopes").compactMap { entry in
      ScopeDeclaration(entry, place: place(entry))
    }
    if !declared.contains(where: { $0.name == ScopeDeclaration.root }) {
      declared.append(.undeclaredRoot(in: file))
    }
    for scope in declared where scope.name == ScopeDeclaration.root {
      if scope.key != nil { fault(scope.place, "scope root is always open and has no key") }
    }
    for scope in declared where scope.name != ScopeDeclaration.root && scope.key == nil {
      fault(scope.place, "scope \(scope.name) has no key: key = function(s) return ... end")
    }
    let names = declared.map(\.name)
    let known = Set(names)
    for scope in declared {
      guard let parent = scope.parent, !known.contains(parent) else { continue }
      fault(
        lines.place(of: [.field("parent")], in: "scope", named: scope.name, at: scope.place),
        "scope \(scope.name): there is no scope \(parent) to be its parent"
          + Names.suggestion(for: parent, among: names))
    }
    flow.scopes = inOrder(declared)
    let placed = Set(flow.scopes.map(\.name))
    for scope in declared where !placed.contains(scope.name) {
      if scope.parent.map(known.contains) ?? true {
        fault(scope.place, "scope \(scope.name) is among its own parents")
      }
    }
    checkDepth(of: flow.scopes)
    giveActions(to: &flow)
  }

  /// Reports scopes that are nested too deeply: each is a nested type in the host, which uses stack.
  private mutating func checkDepth(of scopes: [ScopeDeclaration]) {
    var depths: [String: Int] = [:]
    for scope in scopes {
      let depth = scope.parent.flatMap { depths[$0] }.map { $0 + 1 } ?? 0
      depths[scope.name] = depth
      guard depth == DeclarationReader.deepestScope + 1 else { continue }
      fault(
        scope.place,
        "scope \(scope.name) is nested \(depth) scopes deep, and the limit is "
          + "\(DeclarationReader.deepestScope): give it a parent further out")
    }
  }

  /// Sorts scopes so that parents come before their children, otherwise in the order of declaration.
  private func inOrder(_ declared: [ScopeDeclaration]) -> [ScopeDeclaration] {
    var children: [String: [Int]] = [:]
    for (index, scope) in declared.enumerated() {
      if let parent = scope.parent { children[parent, default: []].append(index) }
    }
    var ordered = declared.filter { $0.parent == nil }
    // Of all scopes whose parent is already in the list, the one declared first comes next.
    var open = Heap(ordered.flatMap { children[$0.name] ?? [] })
    while let next = open.popMin() {
      ordered.append(declared[next])
      open.insert(contentsOf: children[declared[next].name] ?? [])
    }
    return ordered
  }

  private mutating func giveActions(to flow: inout Flow) {
    var owners: [String: Int] = [:]
    for (index, scope) in flow.scopes.enumerated() {
      let positions = Dictionary(
        scope.actions.enumerated().map { ($1, $0 + 1) }, uniquingKeysWith: { first, _ in first })
      for name in Set(scope.actions).sorted() {
        let title = "scope \(scope.name)"
        guard let action = flow.indexOfAction[name] else {
          _ = find(name, for: title, at: whereListed(positions[name] ?? 1, in: scope), in: flow)
          continue
        }
        if let owner = owners[name] {
          let other = flow.scopes[owner]
          fault(
            whereListed(positions[name] ?? 1, in: scope),
            "action \(name) has two owners: scope \(other.name) (\(other.place)) and \(title)")
          continue
        }
        owners[name] = index
        if scope.name != ScopeDeclaration.root { flow.actions[action].scope = index }
      }
    }
  }

  /// Returns the place at which a scope's table lists an action.
  private func whereListed(_ position: Int, in scope: ScopeDeclaration) -> SourcePlace {
    lines.place(
      of: [.field("actions"), .index(position)], in: "scope", named: scope.name, at: scope.place)
  }

  mutating func readMigrations(into flow: inout Flow) {
    flow.version = described["version"]?.integerValue ?? 1
    flow.declaredName = described["flow_name"]?.stringValue
    var renames: [(version: Int, name: String, place: SourcePlace)] = []
    for entry in entries("migrations") {
      guard let version = entry["version"]?.integerValue else { continue }
      if version > flow.version {
        faults.append(
          Diagnostic(
            file: place(entry).file, line: place(entry).line,
            message: "migrate.\(entry["name"]?.stringValue ?? "") leads to version \(version), and "
              + "this is version \(flow.version): write version(\(version))"))
      }
      var migration = flow.migrations[version] ?? Migration()
      for (old, new) in entry["actions"]?.recordValue ?? [:] {
        guard let name = new.stringValue else { continue }
        renames.append((version, name, place(entry)))
        migration.actions[old] = name
      }
      flow.migrations[version] = migration
    }
    let latest = latestNames(of: flow.migrations)
    for (version, name, place) in renames {
      if flow.indexOfAction[latest[version]?[name] ?? name] != nil { continue }
      _ = find(name, for: "migrate.actions_\(version)", at: place, in: flow)
    }
    for function in functions("migrations") {
      guard let version = Int(function.name.dropFirst("to_".count)) else { continue }
      flow.migrations[version, default: Migration()].function = function
    }
  }

  /// Returns, for each version, the current names of its actions, which later versions may have renamed again.
  private func latestNames(of migrations: [Int: Migration]) -> [Int: [String: String]] {
    var latest: [Int: [String: String]] = [:]
    // The current names of the names used by the versions before this one.
    var names: [String: String] = [:]
    for (version, migration) in migrations.sorted(by: { $0.key > $1.key }) {
      let renamed = migration.actions.mapValues { names[$0] ?? $0 }
      for (old, new) in migration.actions { latest[version, default: [:]][new] = renamed[old] }
      names.merge(renamed) { $1 }
    }
    return latest
  }

  package mutating func readEffects(into flow: inout Flow) {
    for (entry, function) in zip(entries("effects"), functions("effects")) {
      let isShared = entry["named"] == .boolean(true)
      var effect = Effect(
        function: function, onDone: entry["on_done"]?.stringValue,
        onError: entry["on_error"]?.stringValue,
        handlesFaults: entry["on_error_faults"] == .boolean(true), isShared: isShared,
        isDurable: entry["durable"] == .boolean(true))
      effect.ordinal = flow.effects.count { $0.title == effect.title }
      let index = flow.effects.count
      flow.effects.append(effect)
      let followed = actions(before: effect, entry, in: flow)
      guard canFollow(followed.count, effect.title, at: function.place) else { return }
      for action in followed { flow.actions[action].effects.append(index) }
      if let onDone = effect.onDone {
        _ = find(
          onDone, for: "\(effect.title): on_done", at: place(of: "on_done", in: effect), in: flow)
      }
      if let onError = effect.onError,
        let action = find(
          onError, for: "\(effect.title): on_error", at: place(of: "on_error", in: effect),
          in: flow)
      {
        check(flow.actions[action], isGivenBy: effect, after: followed.map { flow.actions[$0] })
      }
    }
  }

  /// Returns the place of a key of an effect's table.
  private func place(of key: String, in effect: Effect) -> SourcePlace {
    lines.place(of: key, inEffect: effect.function.name, function: effect.function.place)
  }

  /// Returns the actions after which an effect runs.
  private mutating func actions(before effect: Effect, _ entry: Value, in flow: Flow) -> [Int] {
    if entry["every"] == .boolean(true) { return Array(flow.actions.indices) }
    let listed = (entry["actions"]?.listValue ?? []).compactMap(\.stringValue)
    var seen: Set<String> = []
    return (effect.isShared ? listed : [effect.function.name])
      .filter { seen.insert($0).inserted }
      .compactMap { find($0, for: effect.title, at: effect.function.place, in: flow) }
  }

  /// Reports fields that an `on_error` action requires, but that neither the error nor the effect's own payload
  /// gives.
  private mutating func check(_ action: Action, isGivenBy effect: Effect, after followed: [Action])
  {
    let missing = followed.map { own in
      let given = own.payload.presentNames + ["error"]
      return (own: own, names: action.payload.requiredNames.filter { !given.contains($0) })
    }
    // The action after which most fields are missing stands for all.
    let most = missing.map(\.names.count).max() ?? 0
    guard most > 0, let (own, names) = missing.first(where: { $0.names.count == most }) else {
      return
    }
    let it = names.count == 1 ? "it" : "them"
    fault(
      place(of: "on_error", in: effect),
      "\(effect.title): on_error cannot give \(Names.list(names)) to \(action.name), which "
        + "requires \(it) (\(action.place)): it gives error and the equally named fields of the "
        + "effect's own payload; let \(own.name) require \(it) too, or make \(it) optional in \(action.name)"
    )
  }
}
