import FlowLanguage
import LuaRuntime

/// Runs the gate rules and reducers that a host adds in Swift, at their steps of a dispatch.
extension Engine {
  /// Asks the host's gate rules: step 5, after the flow's own rules.
  ///
  /// Throws a refusal if a rule refuses the action, and a failure if a rule throws.
  func ask(_ hostRules: LoadedHostRules, about action: LoadedAction) throws(Rejection) {
    guard let gates = hostRules.gates[action.name], !gates.isEmpty else { return }
    let offered = DispatchedAction(name: action.name, payload: scratch.payload.value)
    for gate in gates {
      let state = StateReader(self, title: gate.title)
      let verdict: GateVerdict
      do throws(ScriptError) {
        verdict = try run(state, gate.place) { try gate.rule(state, offered) }
      } catch {
        throw .failed(scriptFailure(error, action: action.name))
      }
      if case .refuses(let reason) = verdict {
        throw .refused(
          Refusal(
            action: action.name, rejectedBy: .gate(gate.name), reason: reason, place: gate.place))
      }
    }
  }

  /// Runs the native reducers of an action: step 6, between the flow's own reducer and `on_enter`.
  ///
  /// Returns the microsteps of the machines. Returns nil, and does nothing, if the action has no native reducer.
  func reduce(_ hostRules: LoadedHostRules, _ action: LoadedAction, _ plan: EnabledTransitions)
    throws(ScriptError)
    -> [Microstep]?
  {
    guard let reducers = hostRules.reducers[action.name] else { return nil }
    let moves = try microsteps(plan.selections)
    try runSteps(TransactionSteps.leaving(moves, reducer: action.reducerReference))
    let offered = DispatchedAction(name: action.name, payload: scratch.payload.value)
    for each in reducers {
      let state = StateWriter(self, title: each.title)
      try run(state, each.place) { try each.reducer(state, offered) }
    }
    try runSteps(TransactionSteps.entering(moves))
    return moves
  }

  private func runSteps(_ steps: [TransactionSteps.Step]) throws(ScriptError) {
    if !steps.isEmpty { try vm.take(TransactionSteps(steps), budget: budget) }
  }

  /// Lends the state for one call.
  ///
  /// An error without a place gets the place where the rule or reducer was added. If a limit was reached, the dispatch
  /// fails with it, even if the call caught the error.
  private func run<Answer>(
    _ state: StateReader, _ place: SourcePlace, _ body: () throws -> Answer
  ) throws(ScriptError) -> Answer {
    defer { state.end() }
    var fault: ScriptError
    do {
      let answer = try body()
      guard let limit = state.limit else { return answer }
      fault = limit
    } catch {
      fault =
        state.limit ?? error as? ScriptError ?? ScriptError(kind: .runtime, message: "\(error)")
    }
    fault.take(place)
    throw fault
  }
}
