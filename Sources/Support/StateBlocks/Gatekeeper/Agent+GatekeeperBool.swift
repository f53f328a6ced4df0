extension Agent where State == Gatekeeper<Bool> {
  /// Makes a yes/no keeper that any number of threads may share.
  ///
  /// This cannot fail.
  ///
  /// ```swift
  /// let isLoading: Agent<Gatekeeper<Bool>> = .init()
  /// ```
  public convenience init(name: String = "passage") {
    self.init(Gatekeeper(name: name), name: name)
  }

  /// Passes if one may, and says whether it did.
  ///
  /// It is false, too, when the agent cannot be asked (`AgentError`): who is not let in does not
  /// enter.
  ///
  /// ```swift
  /// guard isLoading.try() else { return }
  /// ```
  public func `try`(by name: String = #function) -> Bool {
    (try? enter(by: name)) != nil
  }

  /// Lets the next one pass.
  ///
  /// Returns whether somebody had passed; false when the agent cannot be asked.
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

  /// Whether one may pass now; false when the agent cannot be asked.
  ///
  /// It is advice only.
  public var mayPass: Bool { (try? fetch { $0.mayPass }) ?? false }

  /// Passes and returns the passage, which remembers the agent's revision.
  ///
  /// Throws the `PassageRefusal` or an `AgentError`, with nothing changed.
  ///
  /// ```swift
  /// let passage = try isLoading.enter()
  /// ```
  public func enter(by name: String = #function) throws -> Passage {
    try fetchAndUpdate { gatekeeper in try gatekeeper.enter(by: name, at: nextRevision) }
  }

  /// Passes, runs a closure outside the agent and ends the passage, also when the closure throws.
  ///
  /// Throws the `PassageRefusal` or an `AgentError`, with the closure not run, or what the closure throws.
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

  /// The same around an asynchronous closure.
  ///
  /// The passage ends also when the task is cancelled.
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
  /// Returns false when it was over already or the agent was stopped.
  ///
  /// Where this thread cannot wait for the agent, the passage ends soon, by a cast, and the answer
  /// is true.
  @discardableResult
  public func end(_ passage: Passage) -> Bool {
    finish(passage) { $0.remove(passage) }
  }
}
