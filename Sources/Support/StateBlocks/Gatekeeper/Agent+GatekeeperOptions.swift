extension Agent {
  /// Takes an option, and records the agent's revision as the time.
  ///
  /// The check of the option and of `unless`, and the taking, are one atomic step. Throws the `PassageRefusal` or an
  /// `AgentError`, and takes nothing then.
  ///
  /// ```swift
  /// let passage = try gatekeeper.enter(.loading, unless: .loaded)
  /// ```
  public func enter<Options: SetAlgebra & Sendable>(
    _ option: Options.Element, unless others: Options = [], by name: String = #function
  ) throws -> Passage where State == Gatekeeper<Options> {
    let options = Gatekeeper<Options>.value(option)
    return try fetchAndUpdate { gatekeeper in
      try gatekeeper.take(options, unless: others, by: name, at: nextRevision)
    }
  }

  /// Takes an option if it and all options of `unless` are free, and returns true if it did.
  ///
  /// It also returns false if the agent throws an `AgentError`.
  ///
  /// ```swift
  /// guard gatekeeper.try(.loading, unless: .loaded) else { return }
  /// ```
  public func `try`<Options: SetAlgebra & Sendable>(
    _ option: Options.Element, unless others: Options = [], by name: String = #function
  ) -> Bool where State == Gatekeeper<Options> {
    (try? enter(option, unless: others, by: name)) != nil
  }

  /// Frees an option and removes its latch.
  ///
  /// Returns true if it was held or latched; false if the agent throws an `AgentError`.
  ///
  /// ```swift
  /// gatekeeper.reset(.loading)
  /// ```
  @discardableResult
  public func reset<Options: SetAlgebra & Sendable>(
    _ option: Options.Element
  ) -> Bool where State == Gatekeeper<Options> {
    let options = Gatekeeper<Options>.value(option)
    return
      (try? update { gatekeeper in
        if !gatekeeper.free(options) { throw Unchanged() }
      }) != nil
  }

  /// Ends a passage, and latches options in the same step if the passage had not ended before.
  ///
  /// Returns false if it had ended before or the agent was stopped. If this thread cannot wait for the agent, a cast
  /// ends the passage soon, and the result is true.
  ///
  /// ```swift
  /// gatekeeper.end(passage, latching: .loaded)
  /// ```
  @discardableResult
  public func end<Options: SetAlgebra & Sendable>(
    _ passage: Passage, latching options: Options = [], by name: String = #function
  ) -> Bool where State == Gatekeeper<Options> {
    finish(passage) { [self] gatekeeper in
      gatekeeper.end(passage, latching: options, by: name, at: nextRevision)
    }
  }

  /// Takes an option, runs a closure outside the agent and ends the passage, even if the closure throws.
  ///
  /// Throws the `PassageRefusal` or an `AgentError` without running the closure, or the closure's error.
  ///
  /// ```swift
  /// try gatekeeper.withPassage(for: .loading, unless: .loaded) { try model.load() }
  /// ```
  public func withPassage<Options: SetAlgebra & Sendable, Result>(
    for option: Options.Element, unless others: Options = [], by name: String = #function,
    _ body: () throws -> Result
  ) throws -> Result where State == Gatekeeper<Options> {
    let passage = try enter(option, unless: others, by: name)
    defer { end(passage) }
    return try body()
  }

  /// Takes an option, runs an asynchronous closure outside the agent and ends the passage, even if the closure throws.
  ///
  /// The passage also ends if the task is cancelled and the closure returns. Throws as the synchronous function does.
  ///
  /// ```swift
  /// try await gatekeeper.withPassage(for: .loading) { try await model.load() }
  /// ```
  public func withPassage<Options: SetAlgebra & Sendable, Result>(
    for option: Options.Element, unless others: Options = [], by name: String = #function,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result where State == Gatekeeper<Options> {
    let options = Gatekeeper<Options>.value(option)
    let passage = try await suspending.fetchAndUpdate { [self] gatekeeper in
      try gatekeeper.take(options, unless: others, by: name, at: nextRevision)
    }
    defer { endSoon(passage) { $0.remove(passage) } }
    return try await body()
  }
}
