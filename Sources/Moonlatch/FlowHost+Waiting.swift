import LuaRuntime

/// Dispatching from asynchronous code.
extension FlowHost {
  /// Offers an action and waits, without blocking a thread, until the effects that it started have
  /// ended: finished, failed or stopped.
  ///
  /// What those effects dispatched has been played too, but the effects of these later transitions
  /// may still be under way. On a virtual clock somebody else has to let time pass. Cancelling the
  /// task does not stop the flow's effects, and so does not end the wait.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped. What goes
  ///   wrong in the flow is an outcome, not an error.
  @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: Value = [:]
  ) async throws(AgentError) -> Outcome {
    let result: Result<Outcome, AgentError> = await withCheckedContinuation { continuation in
      do throws(AgentError) {
        try use { engine in
          let outcome = engine.dispatch(action, payload)
          engine.settle()
          // What did not pass has started nothing.
          let revision =
            if case .passed(let transition) = outcome { transition.revision } else { -1 }
          engine.subscriptions.wait(for: revision) {
            continuation.resume(returning: .success(outcome))
          }
        }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try result.get()
  }

  /// Offers an action with a payload of a Swift type and waits until the effects that it started
  /// have ended, as `dispatchAndWait(_:_:)` with a plain payload does.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: some Encodable
  ) async throws(AgentError) -> Outcome {
    switch encoded(payload, for: action) {
    case .success(let value): try await dispatchAndWait(action, value)
    case .failure(let failure): .failed(failure)
    }
  }
}
