extension Agent {
  /// Takes an option, with the agent's revision as the time.
  ///
  /// Asking for it and for `unless`, and taking it, are one step for all threads. Throws the
  /// `PassageRefusal` or an `AgentError`, with nothing taken.
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

  /// Takes an option if it and every one of `unless` is free, and says whether it did.
  ///
  /// It is false, too, when the agent cannot be asked (`AgentError`): who is not let in does not
  /// enter.
  ///
  /// ```swift
  /// guard gatekeeper.try(.loading, unless: .loaded) else { return }
  /// ```
  public func `try`<Options: SetAlgebra & Sendable>(
    _ option: Options.Element, unless others: Options = [], by name: String = #function
  ) -> Bool where State == Gatekeeper<Options> {
    (try? enter(option, unless: others, by: name)) != nil
  }

  /// Frees an option and takes its latch off.
  ///
  /// Returns whether it was closed; false when the agent cannot be asked.
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

  /// Ends a passage, and latches options in the same step if it was not over already.
  ///
  /// Returns false when it was over already or the agent was stopped. Where this thread cannot wait
  /// for the agent, the passage ends soon, by a cast, and the answer is true.
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

  /// Takes an option, runs a closure outside the agent and ends the passage, also when the closure
  /// throws.
  ///
  /// Throws the `PassageRefusal` or an `AgentError`, with the closure not run, or what the closure throws.
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

  /// The same around an asynchronous closure.
  ///
  /// The passage ends also when the task is cancelled.
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
