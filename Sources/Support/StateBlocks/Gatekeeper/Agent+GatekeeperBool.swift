extension Agent where State == Gatekeeper<Bool> {
  /// Makes a yes/no gatekeeper that any number of threads may share.
  ///
  /// This cannot fail.
  ///
  /// ```swift
  /// let isLoading: Agent<Gatekeeper<Bool>> = .init()
  /// ```
  public convenience init(name: String = "passage") {
    self.init(Gatekeeper(name: name), name: name)
  }

  /// Enters if the gatekeeper is free, and returns true if it did.
  ///
  /// It also returns false if the agent throws an `AgentError`.
  ///
  /// ```swift
  /// guard isLoading.try() else { return }
  /// ```
  public func `try`(by name: String = #function) -> Bool {
    (try? enter(by: name)) != nil
  }

  /// Frees the gatekeeper.
  ///
  /// Returns true if a passage was held; false if the agent throws an `AgentError`.
  ///
  /// ```swift
  /// isLoading.reset()
  /// ```
  @discardableResult
  public func reset() -> Bool {
    (try? update { gatekeeper in
      if !gatekeeper.reset() { throw Unchanged() }
    }) != nil
  }

  /// True if the gatekeeper is free now; false if the agent throws an `AgentError`.
  ///
  /// It is advice only, because another thread may enter first.
  public var mayPass: Bool { (try? fetch { $0.mayPass }) ?? false }

  /// Enters and returns the passage, which records the agent's revision.
  ///
  /// Throws the `PassageRefusal` or an `AgentError`, and changes nothing then.
  ///
  /// ```swift
  /// let passage = try isLoading.enter()
  /// ```
  public func enter(by name: String = #function) throws -> Passage {
    try fetchAndUpdate { gatekeeper in try gatekeeper.enter(by: name, at: nextRevision) }
  }

  /// Enters, runs a closure outside the agent and ends the passage, even if the closure throws.
  ///
  /// Throws the `PassageRefusal` or an `AgentError` without running the closure, or the closure's error.
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

  /// Enters, runs an asynchronous closure outside the agent and ends the passage, even if the closure throws.
  ///
  /// The passage also ends if the task is cancelled and the closure returns. Throws as the synchronous function does.
  ///
  /// ```swift
  /// try await isLoading.withPassage { try await model.load() }
  /// ```
  public func withPassage<Result>(
    by name: String = #function, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let passage = try await suspending.fetchAndUpdate { [self] gatekeeper in
      try gatekeeper.enter(by: name, at: nextRevision)
    }
    defer { endSoon(passage) { $0.remove(passage) } }
    return try await body()
  }

  /// Ends a passage.
  ///
  /// Returns false if it had ended before or the agent was stopped.
  ///
  /// If this thread cannot wait for the agent, a cast ends the passage soon, and the result is true.
  @discardableResult
  public func end(_ passage: Passage) -> Bool {
    finish(passage) { $0.remove(passage) }
  }
}
