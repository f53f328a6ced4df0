/// The operations of an agent as `async` functions, which suspend where the plain ones block their thread.
///
/// Each operation goes into the mailbox behind the waiting casts, and runs on a background thread or before the next
/// synchronous call. It returns after the observers of all earlier changes and of its own change have been called.
/// Cancelling the task neither withdraws an operation nor ends the wait for it, so the caller always learns the result.
///
/// Every function throws `AgentError.mailboxFull` if the mailbox has reached its limit, `.stopped` if the agent was
/// stopped, and `.rejected` if the validator rejects the new state.
///
/// ```swift
/// let count = try await counter.suspending.fetchAndUpdate { count in
///   count += 1
///   return count
/// }
/// ```
public struct SuspendingAgent<State>: Sendable {
  let agent: Agent<State>

  /// Runs a closure on the state and returns its result, or throws its error.
  ///
  /// ```swift
  /// let isEven = try await counter.suspending.fetch { $0.isMultiple(of: 2) }
  /// ```
  public func fetch<Result: Sendable>(
    _ body: @escaping @Sendable (State) throws -> Result
  ) async throws -> Result {
    try await run { agent in
      let result = Swift.Result { try body(agent.storage.pointee) }
      agent.release((try? result.get()) != nil)
      return result
    }
  }

  /// Changes the state, and returns the closure's result or throws its error.
  ///
  /// If it throws, nothing has changed.
  ///
  /// ```swift
  /// let ticket = try await tickets.suspending.fetchAndUpdate { $0.popLast() }
  /// ```
  public func fetchAndUpdate<Result: Sendable>(
    _ body: sending @escaping (inout sending State) throws -> Result
  ) async throws -> Result {
    // `nonisolated(unsafe)`: the closure was sent here, and is called by one thread that has the turn.
    nonisolated(unsafe) let body = body
    return try await run { agent in
      do throws(Agent<State>.Failure<any Error>) {
        let result = try agent.change { try body(&$0) }
        agent.release(true)
        return .success(result)
      } catch {
        agent.release(false)
        return .failure(error.error)
      }
    }
  }

  /// Changes the state, or leaves it as it was if the closure throws.
  ///
  /// ```swift
  /// try await counter.suspending.update { $0 += 1 }
  /// ```
  public func update(_ body: sending @escaping (inout sending State) throws -> Void) async throws {
    // `nonisolated(unsafe)`: the closure was sent here, and is called by one thread that has the turn.
    nonisolated(unsafe) let body = body
    try await fetchAndUpdate { try body(&$0) }
  }

  /// Waits until every cast accepted so far has run and the observers have been called.
  ///
  /// ```swift
  /// try await log.suspending.flush()
  /// ```
  public func flush() async throws {
    try await run { _ in .success(()) }
  }

  /// Runs a job among the casts, and resumes after all messages up to it have been delivered.
  private func run<Result: Sendable>(
    _ job: sending @escaping (Agent<State>) -> Swift.Result<Result, any Error>
  ) async throws -> Result {
    // `nonisolated(unsafe)`: as above.
    nonisolated(unsafe) let job = job
    let answer = Promise<Swift.Result<Result, any Error>>()
    try agent.post(certain: true) { [agent] in
      let result = job(agent)
      agent.say { answer.fulfill(result) }
    }
    return try await answer.value.get()
  }
}

extension SuspendingAgent where State: Sendable {
  /// A copy of the current state, which includes the earlier casts of this caller.
  ///
  /// ```swift
  /// print(try await counter.suspending.value)
  /// ```
  public var value: State {
    get async throws { try await fetch { $0 } }
  }
}
