import Synchronization

extension Agent {
  /// Runs a closure on the state and returns its result.
  ///
  /// Throws `AgentError` if the agent was stopped, or if the call comes from inside one of its closures. A state that
  /// is not `Sendable`, or a part of it, cannot leave the closure: the compiler rejects that.
  ///
  /// ```swift
  /// let title = try engine.fetch { $0.title }
  /// ```
  @inlinable
  public func fetch<Result: ~Copyable>(
    _ body: @Sendable (State) -> sending Result
  ) throws(AgentError) -> sending Result {
    let thread = try begin()
    let result = body(storage.pointee)
    end(thread)
    return result
  }

  /// Runs a closure that may throw on the state, and returns its result or throws its error.
  ///
  /// Throws `AgentError` if the agent was stopped, or if the call comes from inside one of its closures.
  ///
  /// ```swift
  /// let title = try engine.fetch { try $0.title(of: page) }
  /// ```
  @inlinable
  public func fetch<Result: ~Copyable>(
    _ body: @Sendable (State) throws -> sending Result
  ) throws -> sending Result {
    let thread = try begin()
    do {
      let result = try body(storage.pointee)
      end(thread)
      return result
    } catch {
      end(thread, failed: true)
      throw error
    }
  }
}

extension Agent where State: Sendable {
  /// Runs a closure on the state and returns its result.
  ///
  /// Throws `AgentError` if the agent was stopped, or if the call comes from inside one of its closures.
  ///
  /// ```swift
  /// let isEven = try counter.fetch { $0.isMultiple(of: 2) }
  /// ```
  @inlinable
  public func fetch<Result: ~Copyable>(
    _ body: (State) -> sending Result
  ) throws(AgentError) -> sending Result {
    let thread = try begin()
    let result = body(storage.pointee)
    end(thread)
    return result
  }

  /// Runs a closure that may throw on the state, and returns its result or throws its error.
  ///
  /// Throws `AgentError` if the agent was stopped, or if the call comes from inside one of its closures.
  ///
  /// ```swift
  /// let first = try names.fetch { try $0.first(where: isAllowed) }
  /// ```
  @inlinable
  public func fetch<Result: ~Copyable>(
    _ body: (State) throws -> sending Result
  ) throws -> sending Result {
    let thread = try begin()
    do {
      let result = try body(storage.pointee)
      end(thread)
      return result
    } catch {
      end(thread, failed: true)
      throw error
    }
  }

  /// A copy of the current state.
  ///
  /// There is no setter: use `update`, which cannot lose a change.
  ///
  /// Throws `AgentError` if the agent was stopped, or if the call comes from inside one of its closures.
  ///
  /// ```swift
  /// print(try counter.value)
  /// ```
  public var value: State {
    get throws(AgentError) { try fetch { $0 } }
  }

  /// The state and its revision, read in one step.
  ///
  /// Throws as `value` does.
  ///
  /// ```swift
  /// let seen = try counter.snapshot
  /// print(seen.value, "at revision", seen.revision)
  /// ```
  public var snapshot: AgentSnapshot<State> {
    get throws(AgentError) {
      try fetch { state in AgentSnapshot(value: state, revision: commits.load(ordering: .relaxed)) }
    }
  }
}

extension Agent {
  /// The number of changes so far, including the earlier casts of this caller.
  ///
  /// It starts at 0.
  ///
  /// Throws `AgentError` if the agent was stopped, or if the call comes from inside one of its closures.
  ///
  /// ```swift
  /// try counter.update { $0 += 1 }
  /// print(try counter.revision)  // 1
  /// ```
  public var revision: Int {
    get throws(AgentError) {
      let thread = try begin()
      defer { end(thread) }
      return commits.load(ordering: .relaxed)
    }
  }
}
