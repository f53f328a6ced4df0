// What an agent does for a host that keeps its engine in one, and tells subscribers of its own.

extension Agent {
  /// Changes the state in place, as `fetchAndUpdate` does, and suspends for as long as somebody else
  /// has the agent.
  ///
  /// The closure runs in the caller's own task, so that task-locals are the caller's, and on no other
  /// thread than that which the task is just on. Of several tasks that wait here, the first to come
  /// is the first to be let in; synchronous calls may come between them. Cancelling the task neither
  /// withdraws the change nor ends the wait.
  ///
  /// Throws `AgentError.stopped`.
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
          // The next one may look as soon as this change is made, before anybody is told of it.
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

  /// Stops the agent, as `stop` does, and suspends for as long as somebody else has it.
  ///
  /// - Parameter condition: asked in the turn in which the agent stops; false has it go on.
  /// - Returns: the last state; nil if the condition did not hold.
  ///
  /// Throws `AgentError.stopped`.
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

  /// Returns once somebody has had the turn after this call, and so is about to leave it.
  private func becomeFree() async throws(AgentError) {
    let turn = Promise<Void>()
    try post(certain: true) { turn.fulfill(()) }
    await turn.value
  }

  /// Has something told in the order of changes, by one thread at a time and outside the agent.
  ///
  /// Only a closure of the agent may call this, or who has stopped the agent; or somebody who sees
  /// to the order himself: then a background thread tells. Returns the message's
  /// number, for `waitUntilTold`.
  @_spi(FlowHost) public func tell(_ message: @escaping @Sendable () -> Void) -> Int {
    let number = outbox.post(message)
    if turn.isMine { turn.empty(outbox) } else { outbox.deliverInBackground() }
    return number
  }

  /// The number of the latest message.
  @_spi(FlowHost) public var lastMessage: Int { outbox.last }

  /// Suspends until a message has been told, whichever thread tells it.
  @_spi(FlowHost) public func whenTold(_ number: Int) async {
    let told = Promise<Void>()
    outbox.whenTold(number) { told.fulfill(()) }
    await told.value
  }

  /// Returns when a message has been told, whichever thread tells it.
  ///
  /// It returns before where this thread is telling, further out; where it is inside a closure of
  /// another agent, after which the message is told; and where the wait would never end.
  @_spi(FlowHost) public func waitUntilTold(_ number: Int) { outbox.deliver(until: number) }
}
