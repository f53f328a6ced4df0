import FlowKernel
import LuaRuntime
import StateBlocks

extension Engine {
  /// Dispatches, runs what is queued, and has `ended` called when the effects of the action itself have
  /// ended: with what is told of this if it has started none.
  package func dispatch(
    _ name: String, _ payload: Value, ended: @escaping @Sendable () -> Void
  ) -> Outcome {
    // What was queued before has its effects without being waited for.
    if !caseState.queue.isEmpty { forNobody { runQueue() } }
    effects.end = observers.subscriptions.wait(ended)
    let outcome = dispatch(name, payload)
    effects.end = nil
    settle()
    return outcome
  }
}
