import Synchronization

// How an operation goes, whatever it does: begin, run a closure, commit, end. Between begin and end
// the thread has the turn.

extension Agent {
  /// What went wrong in a change that was taken back.
  enum Failure<BodyError: Error>: Error {
    case body(BodyError)
    case agent(AgentError)

    var error: any Error {
      switch self {
      case .body(let error): return error
      case .agent(let error): return error
      }
    }
  }

  /// Takes the turn, and runs the casts that wait.
  @inlinable
  @inline(__always)
  func begin() throws(AgentError) -> ThreadRecord.Address {
    let thread = try turn.enter()
    if turn.attention.load(ordering: .relaxed) != 0 { try runCastsOrLeave(thread) }
    return thread
  }

  /// Leaves the turn.
  ///
  /// Casts from inside a failed operation are dropped, those from a good one follow.
  @inlinable
  @inline(__always)
  func end(_ thread: ThreadRecord.Address, failed: Bool = false) {
    if turn.attention.load(ordering: .relaxed) == 0 {
      turn.leave(thread)
    } else {
      endWithMore(thread, failed: failed)
    }
  }

  /// Counts one change.
  @inlinable
  @inline(__always)
  func commit() {
    commits.store(commits.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Does an operation after all that had to be done first, with everything that has to be asked
  /// and told.
  ///
  /// The thread has the turn, and has left it afterwards.
  @usableFromInline
  func carefully<Result: ~Copyable>(
    _ thread: ThreadRecord.Address, _ body: (inout sending State) -> sending Result
  ) throws(AgentError) -> sending Result {
    try runCastsOrLeave(thread)
    do throws(Failure<Never>) {
      let result = try change(body)
      end(thread)
      return result
    } catch {
      end(thread, failed: true)
      throw error.agentError
    }
  }

  /// The same for a closure that may throw.
  @usableFromInline
  func carefully<Result: ~Copyable>(
    _ thread: ThreadRecord.Address, _ body: (inout sending State) throws -> sending Result
  ) throws -> sending Result {
    try runCastsOrLeave(thread)
    do throws(Failure<any Error>) {
      let result = try change(body)
      end(thread)
      return result
    } catch {
      end(thread, failed: true)
      throw error.error
    }
  }

  /// Changes the state and commits, or puts it back.
  ///
  /// The thread has the turn and keeps it.
  func change<Result: ~Copyable, BodyError: Error>(
    _ body: (inout sending State) throws(BodyError) -> sending Result
  ) throws(Failure<BodyError>) -> sending Result {
    // `nonisolated(unsafe)`: this thread has the turn, so nobody else reaches the state.
    nonisolated(unsafe) let storage = storage
    let draft = draft(canFail: BodyError.self != Never.self)
    let result: Result
    do throws(BodyError) {
      result = try body(&storage.pointee)
    } catch {
      if let before = draft.before { storage.pointee = before }
      throw .body(error)
    }
    do throws(AgentError) {
      try finish(draft)
    } catch {
      throw .agent(error)
    }
    return result
  }

  /// What has to be known of the state before a change.
  struct Draft {
    /// Who will be told.
    let audience: [Observers<State>.Observer]
    /// The state before, if it may have to be put back or told.
    let before: State?
  }

  /// Begins a change.
  func draft(canFail: Bool) -> Draft {
    let audience = turn.has(Turn.watchedMark) ? observers.all : []
    let mustKeep = canFail || turn.has(Turn.validatedMark) || !audience.isEmpty
    return Draft(audience: audience, before: mustKeep ? storage.pointee : nil)
  }

  /// Commits the change that was made, or puts the state back when the validator rejects it.
  func finish(_ draft: Draft) throws(AgentError) {
    if let before = draft.before, let reason = validate(storage.pointee) {
      storage.pointee = before
      throw .rejected(agent: name, revision: commits.load(ordering: .relaxed), reason: reason)
    }
    commit()
    if let before = draft.before, !draft.audience.isEmpty {
      sayChanged(before, to: draft.audience)
    }
  }

  /// Runs the casts that wait, or leaves the turn when there is no state any more.
  @usableFromInline
  @inline(never)
  func runCastsOrLeave(_ thread: ThreadRecord.Address) throws(AgentError) {
    if isStopped {
      turn.leave(thread)
      throw stoppedError
    }
    runCasts()
  }

  /// Runs the casts that wait.
  ///
  /// What they cast in turn comes later.
  func runCasts() {
    if turn.depth == 0 { return }
    for job in mailbox.take() {
      mailbox.ran()
      job()
    }
  }

  /// Leaves the turn, and does what has to be done then.
  @usableFromInline
  @inline(never)
  func endWithMore(_ thread: ThreadRecord.Address, failed: Bool) {
    release(!failed)
    turn.leaveAndEmpty(thread)
  }

  var stoppedError: AgentError {
    .stopped(agent: name, revision: commits.load(ordering: .relaxed))
  }
}

extension Agent.Failure where BodyError == Never {
  /// The only thing that can go wrong with a closure that cannot throw.
  var agentError: AgentError {
    switch self {
    case .agent(let error): return error
    }
  }
}
