extension Agent {
  /// Has the state changed soon, and does not wait for it.
  ///
  /// Casts are run in the order in which they were accepted, by a background thread or by the next
  /// synchronous call, whichever is first. A cast from inside one of the agent's own closures
  /// follows when that closure has done well, and is dropped when it fails. What is still waiting
  /// when the process exits is lost: end with `flush` or `stop`.
  ///
  /// Throws `AgentError.mailboxFull` with the number of casts that wait when there are as many as
  /// may be, and `.stopped`. A validator's rejection goes to the agent's `report` closure.
  ///
  /// ```swift
  /// try log.cast { $0.append("started") }
  /// ```
  public func cast(_ body: sending @escaping (inout sending State) -> Void) throws(AgentError) {
    // `nonisolated(unsafe)`: the closure was sent here, and is called by one thread, under the
    // turn.
    nonisolated(unsafe) let body = body
    try post { [self] in runCast(body) }
  }

  /// Has the state changed soon by a closure that may throw, and does not wait for it.
  ///
  /// When the closure throws, the state stays as it was, and the error goes to the agent's `report`
  /// closure. Everything else is as above.
  ///
  /// ```swift
  /// try account.cast { try $0.withdraw(20) }
  /// ```
  public func cast(
    _ body: sending @escaping (inout sending State) throws -> Void
  ) throws(AgentError) {
    // `nonisolated(unsafe)`: the closure was sent here, and is called by one thread, under the
    // turn.
    nonisolated(unsafe) let body = body
    try post { [self] in runCast(body) }
  }

  /// How many casts wait.
  ///
  /// It may have changed when the caller looks at it.
  public var depth: Int { mailbox.depth }

  /// Runs every cast accepted so far, and returns when the observers have been told.
  ///
  /// Called by one of the agent's observers, or from inside another agent's closure, it runs the
  /// casts only; the observers are told further out. Throws `AgentError` when the agent was
  /// stopped, is called from inside one of its closures, or waiting for the observers would never
  /// end.
  ///
  /// ```swift
  /// for line in lines { try log.cast { $0.append(line) } }
  /// try log.flush()
  /// ```
  public func flush() throws(AgentError) {
    let thread = try begin()
    end(thread)
    try outbox.deliverAll()
  }

  /// Stops the agent and returns its last state.
  ///
  /// Casts accepted before still run; every later call throws `AgentError.stopped`. Observers hear
  /// of all changes, and `changes` ends. Of several callers one gets the state, the others get the
  /// error. Throws `AgentError` when the agent was stopped before or is called from inside one of
  /// its closures.
  ///
  /// ```swift
  /// let lines = try log.stop()
  /// ```
  public func stop() throws(AgentError) -> sending State {
    try stop(turn.enter())
  }

  /// Stops the agent, whose turn the thread has.
  func stop(_ thread: ThreadRecord.Address) throws(AgentError) -> sending State {
    if isStopped {
      turn.leave(thread)
      throw stoppedError
    }
    mailbox.close()
    runCasts()
    let leaving = observers.end()
    turn.set(Turn.stoppedMark)
    // `nonisolated(unsafe)`: moved out once, by the thread that has the turn; the mark keeps others
    // off.
    nonisolated(unsafe) let state = storage.move()
    say { for observer in leaving { observer.finish?() } }
    end(thread)
    return state
  }

  private func runCast<E: Error>(_ body: (inout sending State) throws(E) -> Void) {
    do throws(Failure<E>) {
      try change { (state: inout sending State) throws(E) in try body(&state) }
      release(true)
    } catch {
      release(false)
      sayFailed(.cast, error.error)
    }
  }
}
