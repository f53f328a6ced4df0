import LuaRuntime

/// The answer of a function in the current state, and what it has read.
package struct ExploredAnswer: Sendable {
  /// The returned values, or the error.
  package let said: Result<[Value], ScriptError>
  package let trace: TracedRun
  /// The reads outside of the tree.
  package let notes: [ExploredRun.Note]
}

/// Calls functions that check states, and prepares initial states.
extension Engine {
  /// Calls a function that is not part of the flow and can change nothing, with a trace.
  package func explore(
    asking function: LuaReference, _ arguments: [Value], reportsContinuations: Bool = false
  ) throws(ScriptError) -> ExploredAnswer {
    let before = try vm.beginTrace(reportsContinuations: reportsContinuations)
    let said = answer(asking: function, arguments)
    let trace = try vm.endTrace(before: before)
    return ExploredAnswer(said: said, trace: trace, notes: instrumentation?.notes ?? [])
  }

  /// Calls such a function without a trace.
  package func answer(
    asking function: LuaReference, _ arguments: [Value]
  ) -> Result<[Value], ScriptError> {
    instrumentation?.begin(draws: [])
    hasReadClock = false
    vm.resetReaders()
    return Result { () throws(ScriptError) in
      try vm.call(
        function, arguments, phase: .script, budget: limits.instructionsPerDispatch)
    }
  }

  /// Merges a part into the current state, as `given` does in a scenario, and runs the queue.
  ///
  /// Returns the canonical form of the state then, and a failure if there is one.
  package func exploreGiven(
    _ part: Value
  ) -> (canonical: CanonicalState, failure: DispatchFailure?) {
    instrumentation?.begin(draws: [])
    let failure = merge(part)
    settle()
    let canonical = canonicalState()
    for effect in effects.all { drop(effect.number) }
    caseState.queue.removeAll()
    return (canonical, failure ?? instrumentation?.failure)
  }

  /// Returns the fault of a payload; nil if the action takes it.
  package func fault(inPayload payload: Value, of action: String) -> String? {
    do throws(Rejection) {
      _ = try check(action, payload)
      return nil
    } catch {
      return error.failure.message
    }
  }
}
