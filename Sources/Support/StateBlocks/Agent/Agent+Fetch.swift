import Synchronization

extension Agent {
  /// Runs a closure on the state and returns its result.
  ///
  /// Throws `AgentError` when the agent was stopped or is called from inside one of its closures. A
  /// state that is not `Sendable` cannot leave the closure, nor can a part of it: that does not
  /// compile.
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
  /// Throws `AgentError` when the agent was stopped or is called from inside one of its closures.
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
  /// Throws `AgentError` when the agent was stopped or is called from inside one of its closures.
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
  /// Throws `AgentError` when the agent was stopped or is called from inside one of its closures.
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

  /// The state as it is now, a copy.
  ///
  /// There is no setter: use `update`, which cannot lose a change.
  ///
  /// Throws `AgentError` when the agent was stopped or is called from inside one of its closures.
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
  /// The count of changes so far, the earlier casts of this caller among them.
  ///
  /// It starts at 0.
  ///
  /// Throws `AgentError` when the agent was stopped or is called from inside one of its closures.
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
