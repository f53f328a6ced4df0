import Synchronization

// The steps of every operation: begin, run a closure, commit, end. Between begin and end the thread has the turn.

extension Agent {
  /// The error of a change that was rolled back.
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

  /// Takes the turn and runs the waiting casts.
  @inlinable
  @inline(__always)
  func begin() throws(AgentError) -> ThreadRecord.Address {
    let thread = try turn.enter()
    if turn.attention.load(ordering: .relaxed) != 0 { try runCastsOrLeave(thread) }
    return thread
  }

  /// Releases the turn.
  ///
  /// Casts made inside the operation are queued, or dropped if it failed.
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

  /// Runs an operation with everything around it: the waiting casts, the validator, the observers.
  ///
  /// The thread must have the turn, and has left it afterwards.
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

  /// Runs an operation whose closure may throw, with everything around it.
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

  /// Changes the state and commits, or restores the state and throws.
  ///
  /// The thread has the turn and keeps it.
  func change<Result: ~Copyable, BodyError: Error>(
    _ body: (inout sending State) throws(BodyError) -> sending Result
  ) throws(Failure<BodyError>) -> sending Result {
    // `nonisolated(unsafe)`: this thread has the turn, so no other thread accesses the state.
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

  /// The facts about the state before a change that its commit or rollback needs.
  struct Draft {
    /// The observers that will be called.
    let audience: [Observers<State>.Observer]
    /// The previous state, if a rollback or an observer may need it.
    let before: State?
  }

  /// Begins a change, and copies the state if it may be needed afterwards.
  func draft(canFail: Bool) -> Draft {
    let audience = turn.has(Turn.watchedMark) ? observers.all : []
    let mustKeep = canFail || turn.has(Turn.validatedMark) || !audience.isEmpty
    return Draft(audience: audience, before: mustKeep ? storage.pointee : nil)
  }

  /// Commits the change, or restores the state and throws if the validator rejects the new one.
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

  /// Runs the waiting casts, or releases the turn and throws if the agent was stopped.
  @usableFromInline
  @inline(never)
  func runCastsOrLeave(_ thread: ThreadRecord.Address) throws(AgentError) {
    if isStopped {
      turn.leave(thread)
      throw stoppedError
    }
    runCasts()
  }

  /// Runs the waiting casts.
  ///
  /// Casts that these make wait for a later call.
  func runCasts() {
    if turn.depth == 0 { return }
    for job in mailbox.take() {
      mailbox.ran()
      job()
    }
  }

  /// Releases the turn, then delivers or passes on the waiting messages.
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
  /// The error of an operation whose closure cannot throw.
  var agentError: AgentError {
    switch self {
    case .agent(let error): return error
    }
  }
}
