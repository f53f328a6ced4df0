import Synchronization

extension Agent where State == Gatekeeper<Bool> {
  /// Makes a yes/no keeper that any number of threads may share. This cannot fail.
  ///
  /// ```swift
  /// let isLoading: Agent<Gatekeeper<Bool>> = .init()
  /// ```
  public convenience init(name: String = "passage") {
    self.init(Gatekeeper(name: name), name: name)
  }

  /// Passes if one may, and says whether it did.
  ///
  /// It is false, too, when the agent cannot be asked (`AgentError`): who is not let in does not enter.
  ///
  /// ```swift
  /// guard isLoading.try() else { return }
  /// ```
  public func `try`(by name: String = #function) -> Bool {
    (try? enter(by: name)) != nil
  }

  /// Lets the next one pass. Returns whether somebody had passed; false when the agent cannot be asked.
  ///
  /// ```swift
  /// isLoading.reset()
  /// ```
  @discardableResult
  public func reset() -> Bool {
    (try? update { keeper in
      if !keeper.reset() { throw Unchanged() }
    }) != nil
  }

  /// Whether one may pass now; false when the agent cannot be asked. It is advice only.
  public var mayPass: Bool { (try? fetch { $0.mayPass }) ?? false }

  /// Passes and returns the passage, which remembers the agent's revision.
  ///
  /// Throws the `Refusal` or an `AgentError`, with nothing changed.
  ///
  /// ```swift
  /// let passage = try isLoading.enter()
  /// ```
  public func enter(by name: String = #function) throws -> Passage {
    try fetchAndUpdate { keeper in try keeper.enter(by: name, at: nextRevision) }
  }

  /// Passes, runs a closure outside the agent and ends the passage, also when the closure throws.
  ///
  /// Throws the `Refusal` or an `AgentError`, with the closure not run, or what the closure throws.
  ///
  /// ```swift
  /// try isLoading.withPassage { try model.load() }
  /// ```
  public func withPassage<Result>(
    by name: String = #function, _ body: () throws -> Result
  ) throws -> Result {
    let passage = try enter(by: name)
    defer { end(passage) }
    return try body()
  }

  /// The same around an asynchronous closure. The passage ends also when the task is cancelled.
  ///
  /// ```swift
  /// try await isLoading.withPassage { try await model.load() }
  /// ```
  public func withPassage<Result>(
    by name: String = #function, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let passage = try await suspending.fetchAndUpdate { [self] keeper in
      try keeper.enter(by: name, at: nextRevision)
    }
    defer { endSoon(passage) { $0.remove(passage) } }
    return try await body()
  }

  /// Ends a passage. Returns false when it was over already or the agent was stopped.
  ///
  /// Where this thread cannot wait for the agent, the passage ends soon, by a cast, and the answer is true.
  @discardableResult
  public func end(_ passage: Passage) -> Bool {
    finish(passage) { $0.remove(passage) }
  }
}

extension Agent {
  /// Takes an option, with the agent's revision as the time.
  ///
  /// Asking for it and for `unless`, and taking it, are one step for all threads. Throws the `Refusal` or
  /// an `AgentError`, with nothing taken.
  ///
  /// ```swift
  /// let passage = try gatekeeper.enter(.loading, unless: .loaded)
  /// ```
  public func enter<Options: SetAlgebra & Sendable>(
    _ option: Options.Element, unless others: Options = [], by name: String = #function
  ) throws -> Passage where State == Gatekeeper<Options> {
    let options = Gatekeeper<Options>.value(option)
    return try fetchAndUpdate { keeper in
      try keeper.take(options, unless: others, by: name, at: nextRevision)
    }
  }

  /// Takes an option if it and every one of `unless` is free, and says whether it did.
  ///
  /// It is false, too, when the agent cannot be asked (`AgentError`): who is not let in does not enter.
  ///
  /// ```swift
  /// guard gatekeeper.try(.loading, unless: .loaded) else { return }
  /// ```
  public func `try`<Options: SetAlgebra & Sendable>(
    _ option: Options.Element, unless others: Options = [], by name: String = #function
  ) -> Bool where State == Gatekeeper<Options> {
    (try? enter(option, unless: others, by: name)) != nil
  }

  /// Frees an option and takes its latch off. Returns whether it was closed; false when the agent cannot be
  /// asked.
  ///
  /// ```swift
  /// gatekeeper.reset(.loading)
  /// ```
  @discardableResult
  public func reset<Options: SetAlgebra & Sendable>(
    _ option: Options.Element
  ) -> Bool where State == Gatekeeper<Options> {
    let options = Gatekeeper<Options>.value(option)
    return (try? update { keeper in
      if !keeper.free(options) { throw Unchanged() }
    }) != nil
  }

  /// Ends a passage, and latches options in the same step if it was not over already.
  ///
  /// Returns false when it was over already or the agent was stopped. Where this thread cannot wait for the
  /// agent, the passage ends soon, by a cast, and the answer is true.
  ///
  /// ```swift
  /// gatekeeper.end(passage, latching: .loaded)
  /// ```
  @discardableResult
  public func end<Options: SetAlgebra & Sendable>(
    _ passage: Passage, latching options: Options = [], by name: String = #function
  ) -> Bool where State == Gatekeeper<Options> {
    finish(passage) { [self] keeper in
      keeper.end(passage, latching: options, by: name, at: nextRevision)
    }
  }

  /// Takes an option, runs a closure outside the agent and ends the passage, also when the closure throws.
  ///
  /// Throws the `Refusal` or an `AgentError`, with the closure not run, or what the closure throws.
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

  /// The same around an asynchronous closure. The passage ends also when the task is cancelled.
  ///
  /// ```swift
  /// try await gatekeeper.withPassage(for: .loading) { try await model.load() }
  /// ```
  public func withPassage<Options: SetAlgebra & Sendable, Result>(
    for option: Options.Element, unless others: Options = [], by name: String = #function,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result where State == Gatekeeper<Options> {
    let options = Gatekeeper<Options>.value(option)
    let passage = try await suspending.fetchAndUpdate { [self] keeper in
      try keeper.take(options, unless: others, by: name, at: nextRevision)
    }
    defer { endSoon(passage) { $0.remove(passage) } }
    return try await body()
  }

  /// The revision that the change under way will have. For closures of this agent only.
  private var nextRevision: Int { commits.load(ordering: .relaxed) + 1 }

  /// Ends a passage now, or by a cast where this thread cannot wait.
  private func finish<Options: Sendable>(
    _ passage: Passage, _ end: @escaping @Sendable (inout Gatekeeper<Options>) -> Bool
  ) -> Bool where State == Gatekeeper<Options> {
    do {
      try update { keeper in
        if !end(&keeper) { throw Unchanged() }
      }
      return true
    } catch is AgentError {
      return (try? cast { keeper in _ = end(&keeper) }) != nil
    } catch {
      return false
    }
  }
}

extension Agent {
  /// Ends a passage without waiting: every later call finds it ended.
  private func endSoon<Options: Sendable>(
    _ passage: Passage, _ end: @escaping @Sendable (inout Gatekeeper<Options>) -> Bool
  ) where State == Gatekeeper<Options> {
    do throws(AgentError) {
      try cast { keeper in _ = end(&keeper) }
    } catch {
      _ = finish(passage, end)
    }
  }
}

/// Takes a change back that came to nothing, so that it adds no revision.
private struct Unchanged: Error {}
