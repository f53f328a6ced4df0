import FlowHosting
import FlowKernel
import LuaRuntime

/// One case: what is asked of it activates it.
public struct Case: Sendable {
  /// The case's id.
  public let id: String
  package let cases: Cases

  /// Offers an action, and returns once its turn is kept.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - who: who offers it, as `by()` says.
  /// - Throws: `JournalError`, where there is no such case or nothing could be kept. What goes wrong in the flow is an
  ///   outcome, not an error.
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
  ///   - key: as for `dispatch(_:_:key:by:)`, nil for none. What was answered with it is answered again, at whatever
  ///     revision the case is.
  ///   - who: who dispatches it, as `by()` says.
  ///   - revision: the revision that the case has to have; nil for any.
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

  private var strange: JournalError {
    JournalError(.failed, "case \(id): another node answered what was not asked")
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

  /// Offers an action once: a second dispatch with the same key answers as the first did.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - key: chosen by whoever dispatches, one for each thing that is to be done once.
  ///   - who: who offers it, as `by()` says.
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError`, if the key was given to another action or payload.
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

  /// Ends the case, whatever its flow says: nothing of it happens any more, and no other has its id.
  ///
  /// What it was can be read still. A case ends by itself once each of its machines is in a final state and nothing is
  /// to come.
  ///
  /// - Parameter key: chosen by whoever ends the case: a second end with the same key answers as the first did.
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError`, if the key was given to something else.
  public func end(key: String? = nil) async throws { try await end(key: key, at: nil) }

  /// Ends the case if it is still at a revision; nil for any.
  ///
  /// - Throws: as `end(key:)`; `JournalError` of the kind `otherRevision`.
  package func end(key: String?, at revision: Int?) async throws {
    _ = try await cases.ask(id, .end(key: key, at: revision))
  }

  /// - Parameter key: what tells the request from others, where it may be made again because its answer was lost.
  func endHere(key: String?, at revision: Int?) async throws {
    try await cases.use(id) { host in
      guard let key else { return try await end(host, nil, nil, at: revision) }
      try await host.withAnswer(to: key) { try await end(host, key, $0, at: revision) }
    }
  }

  /// - Parameter stored: what the journal says of the key.
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

  private func expectLife(of host: FlowHost) throws(JournalError) {
    if host.caseWriter?.hasEnded == true { throw AppendPosition.ended(id) }
  }

  private func expect(_ revision: Int?, _ engine: Engine) throws(JournalError) {
    guard let revision, revision != engine.revision else { return }
    throw JournalError(
      .otherRevision,
      "case \(id): it is at revision \(engine.revision), not at \(revision) any more; read it again and decide anew"
    )
  }

  /// What was seen of a case, and wrote nothing, is only so if nobody else had taken the case by then: looked at
  /// afterwards.
  func expectRight(of host: FlowHost) async throws(JournalError) {
    guard let node = cases.node else { return }
    let id = id
    // One whose birth changed nothing else has no row yet.
    if let fence = try await node.call({ try await $0.fence(of: id) }),
      fence != host.caseWriter?.fence
    {
      throw AppendPosition.fenced(id)
    }
  }

  /// Lets a duration pass for the case on a virtual clock: timers that are due meanwhile fire in order.
  ///
  /// ```swift
  /// let orders = try await Cases(of: order, in: MemoryJournal(), options: HostOptions(clock: .virtual))
  /// try await orders.create("o-17")
  /// try await orders["o-17"].advance(.seconds(3_600))
  /// ```
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `HostError` if the clock moves by itself.
  public func advance(_ duration: Duration) async throws {
    try await cases.use(id) { host in try await host.advanceWhenFree(duration) }
  }

  /// Whether an action may pass now, and if not, why.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - who: who would offer it, as `by()` says.
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

  /// The value of a view.
  ///
  /// Of a case that another node holds, it is that node's.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `ViewError`.
  public func view(_ name: String) async throws -> Value {
    try await view(name, fresh: false).value
  }

  /// The value of a view, and at which revision it was that.
  ///
  /// A node that has lost a case without knowing it yet can still answer from memory: `fresh` has it look whether the
  /// case is still its own.
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

  /// The value of a view, as a Swift type.
  ///
  /// - Throws: as `view(_:)`.
  public func view<Result: Decodable & Sendable>(
    _ name: String, as type: Result.Type = Result.self
  ) async throws -> Result {
    try ValueDecoder.decode(type, from: try await view(name))
  }

  /// The whole state, copied.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `ScriptError`.
  public func state() async throws -> Value {
    try await stateAsOf().value
  }

  /// The whole state, copied, and at which revision it was that.
  ///
  /// - Throws: as `state()`.
  package func stateAsOf() async throws -> (value: Value, asOf: Int) {
    if cases.node == nil { return try await stateHere() }
    guard case .view(let value, let revision) = try await cases.ask(id, .state) else {
      throw strange
    }
    return (value, revision)
  }

  func stateHere() async throws -> (value: Value, asOf: Int) {
    try await cases.use(id) { host in
      try await host.useWhenFree { engine in
        Result { (value: try engine.state(), asOf: engine.revision) }
      }.get()
    }
  }

  /// What is known of the case without activating it; nil where there is none.
  ///
  /// - Throws: `JournalError`.
  public func summary() async throws(JournalError) -> CaseSummary? {
    try await cases.summary(of: id)
  }
}
