import FlowLanguage
import LuaRuntime

extension Flow {
  /// Records the current values of the locals, to detect changes later; returns false if there are none.
  package func watchLocals(in vm: LuaVM, limits: Limits) throws(ScriptError) -> Bool {
    // A document's functions have no locals that outlast them.
    if document != nil { return false }
    return try vm.call(
      FlowPreludes.function("watch_locals", in: vm), [.list(watched)], phase: .script,
      budget: limits.instructionsPerLoad
    ).first == .boolean(true)
  }

  /// The functions of all declarations, each with its title, its place, and the action to which it belongs.
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
