import FlowKernel
import LuaRuntime
import StateBlocks

/// Dispatching from asynchronous code.
extension FlowHost {
  /// Offers an action and waits until the effects that it started have ended: finished, failed or
  /// stopped.
  ///
  /// It blocks no thread: while the host is busy with somebody else's call the task is suspended, and
  /// tasks are let in in the order in which they came. What the effects dispatched has been played too,
  /// but the effects of these later transitions may still be under way. Subscribers and observers have
  /// been told of all this. On a virtual clock somebody else has to let time pass. Cancelling the task
  /// does not stop the flow's effects, and so does not end the wait.
  ///
  /// - Throws: `AgentError` when the host was stopped. What goes wrong in the flow is an outcome, not an
  ///   error.
  @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: Value = [:]
  ) async throws -> Outcome {
    let end = Promise<Void>()
    let outcome = try await useWhenFree { engine in
      engine.dispatch(action, payload) { end.fulfill(()) }
    }
    await end.value
    return outcome
  }

  /// Offers an action with a payload of a Swift type and waits until the effects that it started
  /// have ended, as `dispatchAndWait(_:_:)` with a plain payload does.
  ///
  /// - Throws: `AgentError` when the host was stopped.
  @_disfavoredOverload @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: some Encodable
  ) async throws -> Outcome {
    switch encoded(payload, for: action) {
    case .success(let value): try await dispatchAndWait(action, value)
    case .failure(let failure): .failed(failure)
    }
  }
}
