import FlowHosting
import FlowKernel
import LuaRuntime

/// A case as one kind of running flow: the calls that a `FlowHost` has, too.
extension Case: FlowInstance {
  /// The type of a scope that is opened in a case.
  public typealias OpenedScope = CaseScopeInstance

  /// The name of the flow's file, as messages show it.
  public var name: String { cases.flow.name }

  /// Dispatches actions one after the other in one turn; returns once it is stored.
  ///
  /// If another node holds the case, each action is a turn of its own.
  ///
  /// - Returns: the outcomes, in the order of the actions. A rejected action does not stop the others.
  /// - Throws: as `dispatch(_:_:by:)`.
  @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: Value)], by who: String? = nil
  ) async throws -> [Outcome] {
    if let node = cases.node, !node.holds(id) {
      var outcomes: [Outcome] = []
      for (action, payload) in actions {
        outcomes.append(try await dispatch(action, payload, key: nil, by: who, at: nil))
      }
      return outcomes
    }
    return try await cases.use(id) { host in
      let outcomes = try await host.useWhenFree { engine in
        Result {
          try expectLife(of: host)
          return engine.dispatch(batch: actions, by: who)
        }
      }.get()
      if outcomes.contains(where: { !$0.isPassed }) { try await expectRight(of: host) }
      for (dispatched, outcome) in zip(actions, outcomes) {
        try await reportRejection(
          outcome, of: dispatched.action, dispatched.payload, by: who, on: host)
      }
      return outcomes
    }
  }

  /// Dispatches an action, and waits until the effects that it started have ended.
  ///
  /// The effects may run on another node, and may sleep for days: the case may sleep meanwhile, too. The wait
  /// also ends when the cases are closed. On a virtual clock the caller has to advance the time elsewhere.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `CancellationError` if the task is cancelled, which does not stop the
  ///   flow's effects.
  @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: Value = [:], by who: String? = nil
  ) async throws -> Outcome {
    let outcome = try await dispatch(action, payload, key: nil, by: who, at: nil)
    if let revision = outcome.commit?.revision { try await waitForEffects(of: revision) }
    return outcome
  }

  /// Runs the queued actions.
  ///
  /// Actions are queued between two calls only in a case that was just activated.
  ///
  /// - Returns: the work that is still pending, as `pendingWork` lists it.
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` of the kind `fenced` if another node holds the case.
  @discardableResult
  public func settle() async throws -> [PendingWork] {
    try expectHere()
    return try await cases.use(id) { host in
      try await host.useWhenFree { engine in
        Result {
          try expectLife(of: host)
          engine.forNobody { engine.settle() }
          return engine.pendingWork
        }
      }.get()
    }
  }

  /// Suspends until no effect that follows a revision is running.
  private func waitForEffects(of revision: Int) async throws {
    // Subscribes before the effects are read, so that no end is missed.
    var news = cases.watch.news(of: id).makeAsyncIterator()
    while try await effects(failed: 0).underWay.contains(where: { $0.cause == revision }) {
      if await news.next() == nil { break }
    }
    try Task.checkCancellation()
  }

  /// Returns a copy of the whole state, and its revision.
  ///
  /// A node that has lost the case and does not know it yet never answers: it first makes sure that it still
  /// holds the case.
  ///
  /// - Throws: as `state()`.
  public func state(fresh: Bool) async throws -> (value: Value, asOf: Int) {
    try await stateAsOf()
  }

  /// Returns machines, passages, open scopes and pending work, read at one revision.
  ///
  /// If another node holds the case, that node answers.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public func status() async throws -> FlowStatus {
    if cases.node == nil { return try await statusHere() }
    guard case .view(let value, _) = try await cases.ask(id, .status) else { throw strange }
    return FlowStatus(inbox: value)
  }

  func statusHere(fresh: Bool = false) async throws -> FlowStatus {
    try await cases.use(id) { host in
      let status = try await host.status()
      if fresh { try await expectRight(of: host) }
      return status
    }
  }
}
