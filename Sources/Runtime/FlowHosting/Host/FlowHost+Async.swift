import FlowKernel
import LuaRuntime
@_spi(FlowHost) import StateBlocks

/// The calls of a host for asynchronous code: they block no thread.
///
/// While somebody else has the host the task is suspended, and tasks are let in in the order in which they came. Each
/// returns once the journal has what happened, if the host keeps one, and does not wait for subscribers:
/// `dispatchAndWait` waits for them, and for effects. In asynchronous code `try await host.view("total")` means these;
/// the calls of the same names without `await` are for synchronous code, and block their thread.
extension FlowHost {
  // MARK: Playing

  /// Dispatches an action, and runs what its effects dispatch.
  ///
  /// - Throws: `AgentError` when the host was stopped; `JournalError` if the journal cannot store it. What goes wrong in
  ///   the flow is an outcome, not an error.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], by who: String? = nil
  ) async throws -> Outcome {
    try await useWhenFree { $0.dispatchAndSettle(action, payload, by: who) }
  }

  /// Dispatches an action once: a second dispatch with the same key answers as the first did.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError`, if the key was given to another action or payload, or the host
  ///   keeps no journal.
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
    batch actions: [(action: String, payload: Value)]
  ) async throws -> [Outcome] {
    try await useWhenFree { $0.dispatch(batch: actions) }
  }

  /// Asks if an action may pass now, and if not, why.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public func may(
    _ action: String, _ payload: Value = [:], by who: String? = nil
  ) async throws -> Permission {
    try await useWhenFree { $0.may(action, payload, by: who) }
  }

  /// Ends the host, as the synchronous `stop` does, and suspends until subscribers have been told.
  ///
  /// - Returns: what was still to come, as `pendingWork` lists it.
  /// - Throws: `AgentError` when the host was stopped already; `JournalError`.
  @discardableResult
  public func stop() async throws -> [PendingWork] {
    if caseWriter != nil {
      // A turn of its own, on a thread that may wait for the journal; later timers are for the next host.
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

  /// The value of a view.
  ///
  /// - Throws: `ViewError` when there is no such view, it raised an error, or the host was stopped.
  public func view(_ name: String) async throws(ViewError) -> Value {
    try await viewWhenFree { engine throws(ViewError) in try engine.view(name) }
  }

  /// The value of a view, as a Swift type.
  ///
  /// - Throws: as `view(_:)`; `ViewError.mismatch`.
  public func view<Answer: Decodable & Sendable>(
    _ name: String, as type: Answer.Type = Answer.self
  ) async throws(ViewError) -> Answer {
    try ViewError.decode(type, from: await view(name), of: name)
  }

  /// The whole state, copied.
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
  /// - Throws: `HistoryError` when it is out of reach; `DispatchFailure` when a limit was reached; `AgentError`.
  public func go(to revision: Int) async throws {
    try await useWhenFree { engine in Result { try engine.go(to: revision) } }.get()
  }

  /// Goes back by commits.
  ///
  /// - Throws: `HistoryError` when the history holds fewer, or the count is negative; `AgentError`.
  public func undo(_ count: Int = 1) async throws {
    try await useWhenFree { engine in Result { try engine.undo(count) } }.get()
  }

  /// Goes forward again by commits that were undone.
  ///
  /// - Throws: `HistoryError` when fewer were, or the count is negative; `AgentError`.
  public func redo(_ count: Int = 1) async throws {
    try await useWhenFree { engine in Result { try engine.redo(count) } }.get()
  }
}
