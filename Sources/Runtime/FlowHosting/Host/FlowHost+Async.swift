import FlowKernel
import LuaRuntime
@_spi(FlowHost) import StateBlocks

/// Calls of a host from asynchronous code: they block no thread.
///
/// While another call has the host the task is suspended; tasks run in the order in which they came. A call
/// returns once the journal, if the host has one, has stored its turn. It does not wait for subscribers;
/// `dispatchAndWait` waits for them, and for effects. In asynchronous code `try await host.view("total")`
/// calls these methods. The methods of the same names without `await` are for synchronous code, and block
/// their thread. `FlowInstance` has the calls with payloads and views of Swift types.
extension FlowHost {
  // MARK: Playing

  /// Dispatches an action, and runs what its effects dispatch.
  ///
  /// - Throws: `AgentError` if the host was stopped; `JournalError` if the journal cannot store the turn. An
  ///   error in the flow is an outcome, not a thrown error.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], by who: String? = nil
  ) async throws -> Outcome {
    try await useWhenFree { $0.dispatchAndSettle(action, payload, by: who) }
  }

  /// Dispatches an action once: a second dispatch with the same key returns the answer to the first.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` if the key was given to another action or payload, or
  ///   the host has no journal.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], key: String, by who: String? = nil
  ) async throws -> Outcome {
    try await withAnswer(to: key) { stored in
      try await useWhenFree { engine in
        Result { try self.dispatch(action, payload, key, stored, by: who, on: engine) }
      }.get()
    }
  }

  /// Dispatches actions one after the other in one turn.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: Value)], by who: String? = nil
  ) async throws -> [Outcome] {
    try await useWhenFree { $0.dispatch(batch: actions, by: who) }
  }

  /// Returns whether an action may pass now, and if not, why.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public func may(
    _ action: String, _ payload: Value = [:], by who: String? = nil
  ) async throws -> Permission {
    try await useWhenFree { $0.may(action, payload, by: who) }
  }

  /// Runs the queued actions.
  ///
  /// - Returns: the work that is still pending, as `pendingWork` lists it.
  /// - Throws: as `dispatch(_:_:by:)`.
  @discardableResult
  public func settle() async throws -> [PendingWork] {
    try await useWhenFree { engine in
      engine.forNobody { engine.settle() }
      return engine.pendingWork
    }
  }

  /// Stops the host, as the synchronous `stop` does, and suspends until subscribers have been notified.
  ///
  /// - Returns: the work that was pending, as `pendingWork` lists it.
  /// - Throws: `AgentError` if the host was stopped already; `JournalError`.
  @discardableResult
  public func stop() async throws -> [PendingWork] {
    if caseWriter != nil {
      // A turn of its own, on a thread that may wait for the journal; timers that fall due later are left to
      // the next host.
      try? await useWhenFree { _ in }
      guard let engine = try await agent.stopWhenFree() else { return [] }
      alarm?.stop()
      return try await stopKeptWhenFree(engine)
    }
    guard let engine = try await agent.stopWhenFree() else { return [] }
    catchUpAndStopClock(engine)
    let pending = engine.conclude()
    await agent.whenTold(tell(engine))
    return pending
  }

  // MARK: Looking

  /// Returns the value of a view.
  ///
  /// - Throws: `ViewError` if there is no such view, it raised an error, or the host was stopped.
  public func view(_ name: String) async throws(ViewError) -> Value {
    try await viewWhenFree { engine throws(ViewError) in try engine.view(name) }
  }

  /// Returns the value of a view as a Swift type.
  ///
  /// - Throws: as `view(_:)`; `ViewError.mismatch` if the value is not of that type.
  public func view<Answer: Decodable>(
    _ name: String, as type: Answer.Type = Answer.self,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(ViewError) -> Answer {
    let value: Value = try await view(name)
    return try ViewError.decode(type, from: value, of: name)
  }

  /// Returns a copy of the whole state.
  ///
  /// - Throws: `ScriptError`; as `dispatch(_:_:by:)`.
  public func state() async throws -> Value {
    try await useWhenFree { engine in Result { try engine.state() } }.get()
  }

  private func viewWhenFree<Answer: Sendable>(
    _ body: @Sendable (inout Engine) throws(ViewError) -> Answer
  ) async throws(ViewError) -> Answer {
    let result: Result<Answer, ViewError>
    do {
      result = try await useWhenFree { engine in
        do throws(ViewError) { return .success(try body(&engine)) } catch { return .failure(error) }
      }
    } catch {
      throw ViewError(hostError: error)
    }
    return try result.get()
  }

  // MARK: Time travel

  /// Goes to a revision that the history holds, as the synchronous `go(to:)` does.
  ///
  /// - Throws: `HistoryError` if it is out of reach; `DispatchFailure` if a limit was reached; `AgentError`.
  public func go(to revision: Int) async throws {
    try await useWhenFree { engine in Result { try engine.go(to: revision) } }.get()
  }

  /// Goes back by `count` commits.
  ///
  /// - Throws: `HistoryError` if the history holds fewer, or the count is negative; `AgentError`.
  public func undo(_ count: Int = 1) async throws {
    try await useWhenFree { engine in Result { try engine.undo(count) } }.get()
  }

  /// Goes forward again by `count` commits that were undone.
  ///
  /// - Throws: `HistoryError` if fewer were undone, or the count is negative; `AgentError`.
  public func redo(_ count: Int = 1) async throws {
    try await useWhenFree { engine in Result { try engine.redo(count) } }.get()
  }
}
