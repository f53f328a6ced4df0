import LuaRuntime

/// What a function said of the state in which an engine stands, and what it has looked at.
package struct ExploredAnswer: Sendable {
  /// What it returned, or how it failed.
  package let said: Result<[Value], ScriptError>
  package let trace: TracedRun
  /// What was looked at besides the tree.
  package let notes: [ExploredRun.Note]
}

/// Functions that ask about states, and states to begin with.
extension Engine {
  /// Asks a function that nothing in the flow has declared, which can change nothing.
  package func explore(
    asking function: LuaReference, _ arguments: [Value], reportsContinuations: Bool = false
  ) throws(ScriptError) -> ExploredAnswer {
    let before = try vm.beginTrace(reportsContinuations: reportsContinuations)
    let said = answer(asking: function, arguments)
    let trace = try vm.endTrace(before: before)
    return ExploredAnswer(said: said, trace: trace, notes: instrumentation?.notes ?? [])
  }

  /// Asks such a function without a trace.
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

  /// Merges a part into the state in which the engine stands, as `given` does in a scenario, and plays what
  /// follows.
  ///
  /// Gives what belongs to the state then besides its tree, and what is wrong.
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

  /// What is wrong with a payload, nil where the action takes it.
  package func fault(inPayload payload: Value, of action: String) -> String? {
    do throws(Rejection) {
      _ = try check(action, payload)
      return nil
    } catch {
      return error.failure.message
    }
  }
}
