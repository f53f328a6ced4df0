import Synchronization

extension Agent {
  /// Changes the state in place, and returns what the closure returns.
  ///
  /// Adds one to the revision. Throws `AgentError`, with nothing changed, when the agent was
  /// stopped, is called from inside one of its closures, or has a validator that rejects the new
  /// state.
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
    // `nonisolated(unsafe)`: this thread has the turn, so nobody else reaches the state.
    nonisolated(unsafe) let storage = storage
    let result = body(&storage.pointee)
    commit()
    end(thread)
    return result
  }

  /// Changes the state in place, and returns what the closure returns or throws what it throws.
  ///
  /// Adds one to the revision. When it throws, the closure's error or an `AgentError` as above,
  /// value and revision are as they were. To be able to put the state back, the agent keeps a copy
  /// of it while the closure runs, so that changing a large array copies it once.
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
    // `nonisolated(unsafe)`, both: this thread has the turn, so nobody else reaches the state, and
    // the copy of it goes nowhere but back.
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
  /// The same as `fetchAndUpdate` without a result.
  ///
  /// ```swift
  /// try counter.update { $0 += 1 }
  /// ```
  @inlinable
  public func update(_ body: (inout sending State) -> Void) throws(AgentError) {
    try fetchAndUpdate { state in body(&state) }
  }

  /// Changes the state in place, or not at all when the closure throws.
  ///
  /// The same as `fetchAndUpdate` without a result.
  ///
  /// ```swift
  /// try account.update { try $0.withdraw(20) }
  /// ```
  @inlinable
  public func update(_ body: (inout sending State) throws -> Void) throws {
    try fetchAndUpdate { state in try body(&state) }
  }

  /// Sets a new state if nothing has changed since `revision`, and says whether it did.
  ///
  /// Adds one to the revision when it sets the state; returns false, with nothing changed, when the
  /// agent has another revision. Throws `AgentError` like `update`.
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
