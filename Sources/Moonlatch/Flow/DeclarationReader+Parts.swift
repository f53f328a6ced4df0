import LuaRuntime

/// The declarations that refer to actions from outside: machines, gatekeepers, scopes, effects.
extension DeclarationReader {
  mutating func readMachines(into flow: inout Flow) {
    var reader = MachineReader()
    for entry in entries("machines") {
      let place = place(entry)
      guard let machine = reader.read(entry, place: place) else { continue }
      let index = flow.machines.count
      flow.machines.append(machine)
      for name in actionNames(of: machine) {
        guard let action = find(name, for: machine.title, at: place, in: flow) else { continue }
        if machine.names(name) { flow.actions[action].machines.append(index) }
      }
    }
    faults += reader.faults
  }

  /// Every action that the machine moves on or schedules, sorted.
  private func actionNames(of machine: Machine) -> [String] {
    var names: Set<String> = []
    for state in machine.states {
      names.formUnion(state.transitions.keys)
      names.formUnion(state.timers.map(\.action))
    }
    return names.sorted()
  }

  mutating func readKeepers(into flow: inout Flow) {
    for entry in entries("gatekeepers") {
      let place = place(entry)
      guard let keeper = KeeperPolicy(entry, place: place) else { continue }
      let index = flow.keepers.count
      flow.keepers.append(keeper)
      for name in keeper.entries.keys.sorted() {
        guard let action = find(name, for: keeper.title, at: place, in: flow) else { continue }
        flow.actions[action].keepers.append(index)
      }
      for option in keeper.neverAttempted {
        fault(
          place,
          keeper.isYesNo
            ? "\(keeper.title): no action attempts a passage"
            : "\(keeper.title): \"\(option)\" is tested or reset, but no action attempts it")
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
    for scope in declared {
      guard let parent = scope.parent, !names.contains(parent) else { continue }
      fault(
        scope.place,
        "scope \(scope.name): there is no scope \(parent) to be its parent"
          + Names.suggestion(for: parent, among: names))
    }
    flow.scopes = inOrder(declared)
    for scope in declared where !flow.scopes.contains(where: { $0.name == scope.name }) {
      if scope.parent.map(names.contains) ?? true {
        fault(scope.place, "scope \(scope.name) is among its own parents")
      }
    }
    giveActions(to: &flow)
  }

  /// Parents before their children, otherwise in the order of declaration.
  private func inOrder(_ declared: [ScopeDeclaration]) -> [ScopeDeclaration] {
    var ordered = declared.filter { $0.parent == nil }
    var rest = declared.filter { $0.parent != nil }
    while let next = rest.firstIndex(where: { scope in
      ordered.contains { $0.name == scope.parent }
    }) {
      ordered.append(rest.remove(at: next))
    }
    return ordered
  }

  private mutating func giveActions(to flow: inout Flow) {
    var owners: [String: Int] = [:]
    for (index, scope) in flow.scopes.enumerated() {
      for name in Set(scope.actions).sorted() {
        let title = "scope \(scope.name)"
        guard let action = find(name, for: title, at: scope.place, in: flow) else { continue }
        if let owner = owners[name] {
          let other = flow.scopes[owner]
          fault(
            scope.place,
            "action \(name) has two owners: scope \(other.name) (\(other.place)) and \(title)")
          continue
        }
        owners[name] = index
        if scope.name != ScopeDeclaration.root { flow.actions[action].scope = index }
      }
    }
  }

  mutating func readEffects(into flow: inout Flow) {
    for (entry, function) in zip(entries("effects"), functions("effects")) {
      let isShared = entry["named"] == .boolean(true)
      let effect = Effect(
        function: function, onError: entry["on_error"]?.stringValue, isShared: isShared)
      let index = flow.effects.count
      flow.effects.append(effect)
      if let onError = effect.onError {
        _ = find(onError, for: "\(effect.title): on_error", at: function.place, in: flow)
      }
      if entry["every"] == .boolean(true) {
        for action in flow.actions.indices { flow.actions[action].effects.append(index) }
        continue
      }
      let listed = (entry["actions"]?.listValue ?? []).compactMap(\.stringValue)
      var seen: Set<String> = []
      for name in isShared ? listed : [function.name] where seen.insert(name).inserted {
        if let action = find(name, for: effect.title, at: function.place, in: flow) {
          flow.actions[action].effects.append(index)
        }
      }
    }
  }
}
