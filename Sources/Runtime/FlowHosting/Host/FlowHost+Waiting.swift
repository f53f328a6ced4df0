import FlowKernel
import LuaRuntime
import StateBlocks

/// Dispatching from asynchronous code.
extension FlowHost {
  /// Dispatches an action and waits until the effects that it started have finished, failed or been stopped.
  ///
  /// It blocks no thread: while another call has the host the task is suspended, and tasks run in the order
  /// in which they came. Actions that the effects dispatched have run too, but the effects of these later
  /// commits may still be running. Subscribers and observers have been notified of all this. On a virtual
  /// clock the caller has to advance the time elsewhere. Cancelling the task does not stop the flow's
  /// effects, and so does not end the wait.
  ///
  /// - Throws: `AgentError` if the host was stopped. An error in the flow is an outcome, not a thrown error.
  @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: Value = [:], by who: String? = nil
  ) async throws -> Outcome {
    let end = Promise<Void>()
    let outcome = try await useWhenFree { engine in
      engine.dispatch(action, payload, by: who) { end.fulfill(()) }
    }
    await end.value
    return outcome
  }
}
