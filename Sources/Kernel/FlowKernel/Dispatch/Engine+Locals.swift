import FlowLanguage
import LuaRuntime

/// Locals of the flow's files that its functions change: they are no part of the state, and so of no
/// history, snapshot or reload.
extension Engine {
  /// Begins to look after each call for locals that scripts have changed.
  package func findChangedLocals() throws(ScriptError) {
    observers.findsChangedLocals = try flow.watchLocals(in: vm, limits: limits)
  }

  /// Reports the locals that have changed since this was last asked, each once.
  func reportChangedLocals(after action: String? = nil) {
    guard observers.findsChangedLocals else { return }
    for local in locals("changed_locals", [action.map { .string($0) } ?? .nil]) {
      report(.local(local.fault("\(local.title) changes the local \(local.name)")))
    }
  }

  /// Warnings of the locals that are not what they were after loading, which a reload loses.
  package func lostLocals() -> [Report] {
    guard observers.findsChangedLocals else { return [] }
    return locals("lost_locals", []).map { local in
      .local(
        local.fault("the reload loses the local \(local.name), which \(local.title) changed"))
    }
  }

  /// Remembers what the locals hold.
  func keepLocals() {
    if observers.findsChangedLocals { _ = locals("keep_locals", []) }
  }

  /// The locals hold what they did when they were remembered.
  func restoreLocals() {
    if observers.findsChangedLocals { _ = locals("restore_locals", []) }
  }

  private struct ChangedLocal {
    let name: String
    let title: String
    let place: SourcePlace

    func fault(_ what: String) -> Diagnostic {
      Diagnostic(file: place.file, line: place.line, message: what + "; data belongs in the state")
    }
  }

  private func locals(_ function: String, _ arguments: [Value]) -> [ChangedLocal] {
    let found = try? vm.call(
      FlowPreludes.function(function, in: vm), arguments, phase: .script, budget: budget)
    let locals: [Value] = found?.first?.listValue ?? []
    return locals.map { (local: Value) -> ChangedLocal in
      ChangedLocal(
        name: local["name"]?.stringValue ?? "", title: local["title"]?.stringValue ?? "",
        place: SourcePlace(
          file: local["file"]?.stringValue ?? "", line: local["line"]?.integerValue ?? 0))
    }
  }
}

extension Flow {
  /// Notes what the locals are now, for an engine that finds those that change; false where there
  /// are none.
  package func watchLocals(in vm: LuaVM, limits: Limits) throws(ScriptError) -> Bool {
    // A document's functions have no locals that outlast them.
    if document != nil { return false }
    return try vm.call(
      FlowPreludes.function("watch_locals", in: vm), [.list(watched)], phase: .script,
      budget: limits.instructionsPerLoad
    ).first == .boolean(true)
  }

  /// Every function that a declaration holds: its title, its place, and the action to which it
  /// belongs.
  fileprivate var watched: [Value] {
    var found: [Value] = []
    func add(_ title: String, _ function: FlowFunction?, action: String? = nil) {
      guard let function else { return }
      var entry: [String: Value] = [
        "title": .string(title), "file": .string(function.place.file),
        "line": .integer(function.place.line),
        "reference": .integer(Int(function.reference.number)),
      ]
      if let action { entry["action"] = .string(action) }
      found.append(.record(entry))
    }
    for action in actions {
      add(Names.dotted("reduce", action.name), action.reducer, action: action.name)
      for rule in action.rules { add(rule.title, rule.function, action: action.name) }
      for effect in action.effects {
        add(effects[effect].title, effects[effect].function, action: action.name)
      }
    }
    for view in views { add(Names.dotted("view", view.function.name), view.function) }
    for invariant in invariants {
      add(Names.dotted("invariant", invariant.function.name), invariant.function)
    }
    for scope in scopes { add("scope \(scope.name): key", scope.key) }
    for machine in machines where !machine.isFlat {
      for function in machine.functions { add("\(machine.title): \(function.name)", function) }
    }
    for machine in machines where machine.isFlat {
      for state in machine.states {
        add("\(machine.title): \(state.name).on_enter", state.onEnter)
        add("\(machine.title): \(state.name).on_exit", state.onExit)
        for timer in state.timers {
          if case .workedOut(let function) = timer.time {
            add("\(machine.title): \(state.name).after.\(timer.action)", function)
          }
        }
        for target in state.transitions.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
          add("\(machine.title): \(state.name).when", target.guardRule)
        }
      }
    }
    return found
  }
}
