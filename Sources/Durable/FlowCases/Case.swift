import FlowHosting
import FlowKernel
import LuaRuntime

/// A case of a flow, which is activated when it is used.
///
/// It has every call that a `FlowHost` has, with the same names (`FlowInstance`): payloads, views and the state
/// as Swift types, sequences of values, subscriptions, machines and pending work, scopes, time travel, snapshots
/// and transcripts. `Cases` reloads the flow and closes the cases, for all of them.
public struct Case: Sendable {
  /// The case's id.
  public let id: String
  package let cases: Cases

  /// Dispatches an action, and returns once its turn is stored.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - who: the user who asked for the action, whom `by()` returns; nil for nobody.
  /// - Throws: `JournalError` if there is no such case or the turn could not be stored. An error in the flow
  ///   is an outcome, not a thrown error.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], by who: String? = nil
  ) async throws -> Outcome {
    try await dispatch(action, payload, key: nil, by: who, at: nil)
  }

  /// Dispatches an action if the case is still at a revision.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record.
  ///   - key: as for `dispatch(_:_:key:by:)`; nil for none. A dispatch that was answered before returns that
  ///     answer at any revision.
  ///   - who: the user who asked for the action, whom `by()` returns; nil for nobody.
  ///   - revision: the revision that the case must have; nil for any.
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` of the kind `otherRevision`.
  package func dispatch(
    _ action: String, _ payload: Value, key: String?, by who: String?, at revision: Int?
  ) async throws -> Outcome {
    if cases.node != nil {
      return try await outcome(.dispatch(action, payload, key: key, by: who, at: revision))
    }
    guard let key else { return try await dispatchHere(action, payload, by: who, at: revision) }
    return try await dispatchHere(action, payload, key: key, by: who, at: revision)
  }

  private func outcome(_ request: CaseRequest) async throws -> Outcome {
    guard case .outcome(let outcome) = try await cases.ask(id, request) else { throw strange }
    return outcome
  }

  var strange: JournalError {
    JournalError(.failed, "case \(id): another node sent an answer to a different question")
  }

  func dispatchHere(
    _ action: String, _ payload: Value, by who: String?, at revision: Int? = nil
  ) async throws -> Outcome {
    try await cases.use(id) { host in
      let outcome = try await host.useWhenFree { engine in
        Result {
          try expectLife(of: host)
          try expect(revision, engine)
          return engine.dispatchAndSettle(action, payload, by: who)
        }
      }.get()
      if !outcome.isPassed { try await expectRight(of: host) }
      try await reportRejection(outcome, of: action, payload, by: who, on: host)
      return outcome
    }
  }

  /// Dispatches an action once: a second dispatch with the same key returns the answer to the first.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - key: chosen by the caller, one for each thing that must happen once.
  ///   - who: the user who asked for the action, whom `by()` returns; nil for nobody.
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` if the key was given to another action or payload.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], key: String, by who: String? = nil
  ) async throws -> Outcome {
    try await dispatch(action, payload, key: key, by: who, at: nil)
  }

  func dispatchHere(
    _ action: String, _ payload: Value, key: String, by who: String?, at revision: Int? = nil,
    for dispatch: InboxDispatch? = nil
  ) async throws -> Outcome {
    try await cases.use(id, for: dispatch) { host in
      let outcome = try await host.withAnswer(to: key) { stored in
        try await host.useWhenFree { engine in
          Result {
            if host.caseWriter?.answer(to: key, stored: stored) == nil {
              try expectLife(of: host)
              try expect(revision, engine)
            }
            return try host.dispatch(action, payload, key, stored, by: who, on: engine)
          }
        }.get()
      }
      if !outcome.isPassed { try await expectRight(of: host) }
      try await reportRejection(outcome, of: action, payload, by: who, on: host)
      return outcome
    }
  }

  /// Ends the case, whatever its flow says: nothing happens in it any more, and its id is never used again.
  ///
  /// It can still be read. A case ends by itself once each of its machines is in a final state and no work is pending.
  ///
  /// - Parameter key: chosen by the caller: a second `end` with the same key returns as the first did.
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` if the key was used for something else.
  public func end(key: String? = nil) async throws { try await end(key: key, at: nil) }

  /// Ends the case if it is still at a revision; nil for any.
  ///
  /// - Throws: as `end(key:)`; `JournalError` of the kind `otherRevision`.
  package func end(key: String?, at revision: Int?) async throws {
    _ = try await cases.ask(id, .end(key: key, at: revision))
  }

  /// Ends the case on this node.
  ///
  /// - Parameter key: identifies the request, which may be repeated if its answer was lost.
  func endHere(key: String?, at revision: Int?) async throws {
    try await cases.use(id) { host in
      guard let key else { return try await end(host, nil, nil, at: revision) }
      try await host.withAnswer(to: key) { try await end(host, key, $0, at: revision) }
    }
  }

  /// Ends the case in a turn of its host.
  ///
  /// - Parameter stored: the answer of the journal to the key; nil if there is none.
  private func end(
    _ host: FlowHost, _ key: String?, _ stored: KeyedAnswer?, at revision: Int?
  ) async throws {
    try await host.useWhenFree { engine in
      Result {
        if let key, let known = host.caseWriter?.answer(to: key, stored: stored) {
          return try known.expect(CaseWriter.requestToEnd, of: id)
        }
        try expectLife(of: host)
        try expect(revision, engine)
        engine.stopEverything(because: "the case was ended")
        host.caseWriter?.end()
        if let key {
          host.caseWriter?.note(
            KeyedAnswer(key: key, request: CaseWriter.requestToEnd, revision: engine.revision))
        }
        engine.observers.recorder?.needsImage = true
      }
    }.get()
  }

  func expectLife(of host: FlowHost) throws(JournalError) {
    if host.caseWriter?.hasEnded == true { throw AppendPosition.ended(id) }
  }

  private func expect(_ revision: Int?, _ engine: Engine) throws(JournalError) {
    guard let revision, revision != engine.revision else { return }
    throw JournalError(
      .otherRevision,
      "case \(id): it is at revision \(engine.revision), not at \(revision) any more; read it again and decide anew"
    )
  }

  /// Throws `fenced` if another writer has taken the case over.
  ///
  /// A call that wrote nothing checks this after it has read the case: its result is valid only if the case
  /// was not taken over by then.
  func expectRight(of host: FlowHost) async throws(JournalError) {
    guard let node = cases.node else { return }
    let id = id
    // A new case without further changes has no row yet.
    if let fence = try await node.call({ try await $0.fence(of: id) }),
      fence != host.caseWriter?.fence
    {
      throw AppendPosition.fenced(id)
    }
  }

  /// Advances the case's virtual clock by a duration; timers that fall due fire in order.
  ///
  /// ```swift
  /// let orders = try await Cases(of: order, in: MemoryJournal(), options: HostOptions(clock: .virtual))
  /// try await orders.create("o-17")
  /// try await orders["o-17"].advance(.seconds(3_600))
  /// ```
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `HostError` if the clock is real.
  public func advance(_ duration: Duration) async throws {
    try await cases.use(id) { host in
      try await host.advance(duration) { try expectLife(of: host) }
    }
  }

  /// Returns whether an action may pass now, and if not, why.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - who: the user who would ask for the action, whom `by()` returns; nil for nobody.
  /// - Throws: as `dispatch(_:_:by:)`.
  public func may(
    _ action: String, _ payload: Value = [:], by who: String? = nil
  ) async throws -> Permission {
    if cases.node == nil { return try await mayHere(action, payload, by: who) }
    let request = CaseRequest.may(action, payload, by: who)
    guard case .permission(let permission) = try await cases.ask(id, request) else { throw strange }
    return permission
  }

  func mayHere(
    _ action: String, _ payload: Value, by who: String?
  ) async throws -> Permission {
    try await cases.use(id) { host in
      try await host.useWhenFree { $0.may(action, payload, by: who) }
    }
  }

  /// Returns the value of a view.
  ///
  /// If another node holds the case, that node computes the value.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `ViewError`.
  public func view(_ name: String) async throws -> Value {
    try await view(name, fresh: false).value
  }

  /// Returns the value of a view, and the revision at which it was computed.
  ///
  /// A node that has lost a case and does not know it yet can answer from memory. If `fresh` is true, it
  /// first makes sure that it still holds the case.
  ///
  /// - Throws: as `view(_:)`.
  public func view(_ name: String, fresh: Bool) async throws -> (value: Value, asOf: Int) {
    guard let node = cases.node else { return try await seeHere(name, fresh: false) }
    if !fresh, node.holds(id) {
      do { return try await seeHere(name, fresh: false) } catch let error as ViewError {
        throw error
      } catch {}
    }
    guard case .view(let value, let revision) = try await cases.ask(id, .view(name)) else {
      throw strange
    }
    return (value, revision)
  }

  func seeHere(_ name: String, fresh: Bool) async throws -> (value: Value, asOf: Int) {
    try await cases.use(id) { host in
      let seen = try await host.useWhenFree { engine in
        Result { (value: try engine.view(name), asOf: engine.revision) }
      }.get()
      if fresh { try await expectRight(of: host) }
      return seen
    }
  }

  /// Returns a copy of the whole state.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `ScriptError`.
  public func state() async throws -> Value {
    try await stateAsOf().value
  }

  /// Returns a copy of the whole state, and its revision.
  ///
  /// - Throws: as `state()`.
  package func stateAsOf() async throws -> (value: Value, asOf: Int) {
    if cases.node == nil { return try await stateHere() }
    guard case .view(let value, let revision) = try await cases.ask(id, .state) else {
      throw strange
    }
    return (value, revision)
  }

  func stateHere(fresh: Bool = false) async throws -> (value: Value, asOf: Int) {
    try await cases.use(id) { host in
      let state = try await host.state(fresh: true)
      if fresh { try await expectRight(of: host) }
      return state
    }
  }

  /// Returns the summary of the case without activating it, or nil if there is no such case.
  ///
  /// - Throws: `JournalError`.
  public func summary() async throws(JournalError) -> CaseSummary? {
    try await cases.summary(of: id)
  }
}
