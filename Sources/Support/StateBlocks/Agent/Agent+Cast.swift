extension Agent {
  /// Changes the state soon, without waiting for the change.
  ///
  /// Casts run in the order in which they were accepted, on a background thread or in the next synchronous call,
  /// whichever comes first. A cast from inside one of the agent's own closures runs after that closure succeeds, and is
  /// dropped if the closure fails. Casts that still wait when the process exits are lost: end with `flush` or `stop`.
  ///
  /// Throws `AgentError.mailboxFull`, with the number of waiting casts, if the mailbox has reached its limit, and
  /// `.stopped` if the agent was stopped. A validator's rejection goes to the agent's `report` closure.
  ///
  /// ```swift
  /// try log.cast { $0.append("started") }
  /// ```
  public func cast(_ body: sending @escaping (inout sending State) -> Void) throws(AgentError) {
    // `nonisolated(unsafe)`: the closure was sent here, and is called by one thread that has the turn.
    nonisolated(unsafe) let body = body
    try post { [self] in runCast(body) }
  }

  /// Changes the state soon by a closure that may throw, without waiting for the change.
  ///
  /// If the closure throws, the state stays as it was, and the error goes to the agent's `report` closure. Otherwise
  /// this works like `cast` with a closure that cannot throw.
  ///
  /// ```swift
  /// try account.cast { try $0.withdraw(20) }
  /// ```
  public func cast(
    _ body: sending @escaping (inout sending State) throws -> Void
  ) throws(AgentError) {
    // `nonisolated(unsafe)`: the closure was sent here, and is called by one thread that has the turn.
    nonisolated(unsafe) let body = body
    try post { [self] in runCast(body) }
  }

  /// The number of casts that wait.
  ///
  /// It may be out of date as soon as it is returned.
  public var depth: Int { mailbox.depth }

  /// Runs every cast accepted so far, and returns after the observers have been called.
  ///
  /// If one of the agent's observers or another agent's closure calls it, it only runs the casts; the observers are
  /// called later, when that code has returned. Throws `AgentError` if the agent was stopped, if the call comes from
  /// inside one of its closures, or if the wait for the observers would never end.
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
  /// Casts accepted before still run; every later call throws `AgentError.stopped`. Observers receive all changes, and
  /// `changes` ends. If several callers stop the agent, one gets the state and the others get the error. Throws
  /// `AgentError` if the agent was stopped before, or if the call comes from inside one of its closures.
  ///
  /// ```swift
  /// let lines = try log.stop()
  /// ```
  public func stop() throws(AgentError) -> sending State {
    try stop(turn.enter())
  }

  /// Stops the agent; the thread must have the turn, and has left it afterwards.
  func stop(_ thread: ThreadRecord.Address) throws(AgentError) -> sending State {
    if isStopped {
      turn.leave(thread)
      throw stoppedError
    }
    mailbox.close()
    runCasts()
    let leaving = observers.end()
    turn.set(Turn.stoppedMark)
    // `nonisolated(unsafe)`: moved out once, by the thread that has the turn; the mark keeps other threads away.
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
