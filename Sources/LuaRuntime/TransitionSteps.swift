import CLatch

/// What a transition with machines does to the state, in order: machines move, reducers run.
package final class TransitionSteps: Sendable {
  fileprivate let steps: [latch_step]

  package enum Step {
    case reducer(LuaReference)
    /// A machine's field is written; its name and the new state are kept strings. Nil: it has no value any
    /// more.
    case move(LuaReference, to: LuaReference?)
  }

  package init(_ all: [Step]) {
    steps = all.map { step in
      switch step {
      case .reducer(let function): latch_step(function: function.number, moves_to: 0)
      case .move(let machine, let state):
        latch_step(function: machine.number, moves_to: state?.number ?? latch_ref(LATCH_MOVES_AWAY))
      }
    }
  }
}

extension LuaVM {
  /// Takes the steps in turn, each reducer on a budget of its own.
  package func take(_ steps: TransitionSteps, budget: Int) throws(ScriptError) {
    let run = latch_run(phase: LATCH_REDUCER, budget: Int64(budget))
    let status = steps.steps.withUnsafeBufferPointer {
      latch_take_steps(latch, $0.baseAddress, $0.count, run)
    }
    try check(status)
  }
}
