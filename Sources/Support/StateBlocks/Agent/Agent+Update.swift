import Synchronization

extension Agent {
  /// Changes the state in place, and returns the closure's result.
  ///
  /// Adds one to the revision. Throws `AgentError` and changes nothing if the agent was stopped, if the call comes from
  /// inside one of its closures, or if the validator rejects the new state.
  ///
  /// ```swift
  /// let ticket = try tickets.fetchAndUpdate { $0.removeLast() }
  /// ```
  @inlinable
  public func fetchAndUpdate<Result: ~Copyable>(
    _ body: (inout sending State) -> sending Result
  ) throws(AgentError) -> sending Result {
    let thread = try turn.enter()
    guard turn.attention.load(ordering: .relaxed) == 0 else { return try carefully(thread, body) }
    // `nonisolated(unsafe)`: this thread has the turn, so no other thread accesses the state.
    nonisolated(unsafe) let storage = storage
    let result = body(&storage.pointee)
    commit()
    end(thread)
    return result
  }

  /// Changes the state in place by a closure that may throw, and returns its result or throws its error.
  ///
  /// Adds one to the revision. If it throws the closure's error, or an `AgentError` for the same reasons as the
  /// function without a throwing closure, the value and the revision stay as they were. To be able to restore the
  /// state, the agent keeps a copy while the closure runs, so that changing a large array copies it once.
  ///
  /// ```swift
  /// let ticket = try tickets.fetchAndUpdate { tickets in
  ///   guard let ticket = tickets.popLast() else { throw SoldOut() }
  ///   return ticket
  /// }
  /// ```
  @inlinable
  public func fetchAndUpdate<Result: ~Copyable>(
    _ body: (inout sending State) throws -> sending Result
  ) throws -> sending Result {
    let thread = try turn.enter()
    guard turn.attention.load(ordering: .relaxed) == 0 else { return try carefully(thread, body) }
    // `nonisolated(unsafe)`, both: this thread has the turn, so no other thread accesses the state, and the copy is
    // only used to restore it.
    nonisolated(unsafe) let storage = storage
    nonisolated(unsafe) let before = storage.pointee
    do {
      let result = try body(&storage.pointee)
      commit()
      end(thread)
      return result
    } catch {
      storage.pointee = before
      end(thread, failed: true)
      throw error
    }
  }

  /// Changes the state in place.
  ///
  /// Equivalent to `fetchAndUpdate` without a result.
  ///
  /// ```swift
  /// try counter.update { $0 += 1 }
  /// ```
  @inlinable
  public func update(_ body: (inout sending State) -> Void) throws(AgentError) {
    try fetchAndUpdate { state in body(&state) }
  }

  /// Changes the state in place, or leaves it as it was if the closure throws.
  ///
  /// Equivalent to `fetchAndUpdate` without a result.
  ///
  /// ```swift
  /// try account.update { try $0.withdraw(20) }
  /// ```
  @inlinable
  public func update(_ body: (inout sending State) throws -> Void) throws {
    try fetchAndUpdate { state in try body(&state) }
  }

  /// Sets a new state if nothing has changed since `revision`, and returns true if it did.
  ///
  /// Adds one to the revision if it sets the state. Returns false and changes nothing if the agent has another
  /// revision. Throws `AgentError` as `update` does.
  ///
  /// ```swift
  /// let seen = try text.snapshot
  /// if try !text.compareAndSet(expecting: seen.revision, to: seen.value.uppercased()) {
  ///   print("somebody else was faster")
  /// }
  /// ```
  public func compareAndSet(
    expecting revision: Int, to new: sending State
  ) throws(AgentError) -> Bool {
    let thread = try begin()
    guard commits.load(ordering: .relaxed) == revision else {
      end(thread)
      return false
    }
    let draft = draft(canFail: false)
    storage.pointee = new
    do throws(AgentError) {
      try finish(draft)
    } catch {
      end(thread, failed: true)
      throw error
    }
    end(thread)
    return true
  }
}
