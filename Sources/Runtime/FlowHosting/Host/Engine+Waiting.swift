import FlowKernel
import LuaRuntime
import StateBlocks

extension Engine {
  /// Dispatches an action, runs what is queued, and has `ended` called when the effects of the action itself
  /// have ended.
  ///
  /// If the action started no effects, `ended` is called with the notifications of this dispatch.
  package func dispatch(
    _ name: String, _ payload: Value, by who: String? = nil,
    ended: @escaping @Sendable () -> Void
  ) -> Outcome {
    // Actions that were queued before run first; nothing waits for their effects.
    if !caseState.queue.isEmpty { forNobody { runQueue() } }
    effects.end = observers.subscriptions.wait(ended)
    let outcome = dispatch(name, payload, by: who)
    effects.end = nil
    settle()
    return outcome
  }
}
