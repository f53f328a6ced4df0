// The interface for a host that keeps its engine in an agent and has its own subscribers.

extension Agent {
  /// Changes the state in place, as `fetchAndUpdate` does, and suspends while the agent is in use.
  ///
  /// The closure runs in the caller's own task, with the caller's task-local values, and on the thread on which the
  /// task runs at that moment. Tasks that wait here are served in the order in which they came; synchronous calls may
  /// come between them. Cancelling the task neither withdraws the change nor ends the wait.
  ///
  /// Throws `AgentError.stopped` if the agent was stopped.
  @_spi(FlowHost) public func fetchAndUpdateWhenFree<Result: Sendable>(
    _ body: @Sendable (inout sending State) -> Result
  ) async throws(AgentError) -> Result {
    await line.join()
    var isInLine = true
    do throws(AgentError) {
      while true {
        guard let thread = turn.tryEnter() else {
          try await becomeFree()
          continue
        }
        return try carefully(thread) { (state: inout sending State) -> Result in
          let result = body(&state)
          // The next task may use the agent as soon as this change is made, before observers are called.
          isInLine = false
          line.leave()
          return result
        }
      }
    } catch {
      if isInLine { line.leave() }
      throw error
    }
  }

  /// Stops the agent, as `stop` does, and suspends while the agent is in use.
  ///
  /// - Parameter condition: called in the turn in which the agent would stop; the agent keeps running if it returns
  ///   false.
  /// - Returns: the last state; nil if the condition did not hold.
  ///
  /// Throws `AgentError.stopped` if the agent was stopped before.
  @_spi(FlowHost) public func stopWhenFree(
    if condition: (inout State) -> Bool = { _ in true }
  ) async throws(AgentError) -> sending State? {
    await line.join()
    defer { line.leave() }
    while true {
      guard let thread = turn.tryEnter() else {
        try await becomeFree()
        continue
      }
      if !isStopped, !condition(&storage.pointee) {
        end(thread)
        return nil
      }
      return try stop(thread)
    }
  }

  /// Returns once some thread has had the turn after this call, and so is about to leave it.
  private func becomeFree() async throws(AgentError) {
    let turn = Promise<Void>()
    try post(certain: true) { turn.fulfill(()) }
    await turn.value
  }

  /// Queues a message for delivery in the order of changes, by one thread at a time and outside the agent.
  ///
  /// Call it from a closure of the agent, or after stopping the agent. A caller that orders the messages itself may
  /// call it at any time: then a background thread delivers. Returns the message's number, for `waitUntilTold`.
  @_spi(FlowHost) public func tell(_ message: @escaping @Sendable () -> Void) -> Int {
    let number = outbox.post(message)
    if turn.isMine { turn.empty(outbox) } else { outbox.deliverInBackground() }
    return number
  }

  /// The number of the latest message.
  @_spi(FlowHost) public var lastMessage: Int { outbox.last }

  /// Suspends until a message has been delivered, by any thread.
  @_spi(FlowHost) public func whenTold(_ number: Int) async {
    let told = Promise<Void>()
    outbox.whenTold(number) { told.fulfill(()) }
    await told.value
  }

  /// Blocks until a message has been delivered, by any thread.
  ///
  /// It returns early in three cases: this thread is already delivering, further up its stack; it is inside a closure
  /// of another agent, after which the message is delivered; or the wait would never end.
  @_spi(FlowHost) public func waitUntilTold(_ number: Int) { outbox.deliver(until: number) }
}
