import FlowKernel
import LuaRuntime
import Platform

/// Dispatches that take effect once, by their keys.
extension FlowHost {
  /// Dispatches an action once: a second dispatch with the same key returns the answer to the first.
  ///
  /// Only passed dispatches are stored: after a refusal or a failure the same key may be dispatched again.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - key: chosen by the caller, one for each thing that must happen once.
  /// - Throws: as `dispatch(_:_:)`; `JournalError` if the key was given to another action or payload, or the
  ///   host has no journal.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], key: String
  ) throws -> Outcome {
    try dispatchOnce(action, payload, key: key, by: nil)
  }

  /// Dispatches an action once on behalf of a user, whom `by()` returns.
  ///
  /// - Throws: as `dispatch(_:_:key:)`.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], key: String, by who: String
  ) throws -> Outcome {
    try dispatchOnce(action, payload, key: key, by: who)
  }

  /// Dispatches an action once, and blocks the thread while the stored answer is looked up.
  func dispatchOnce(
    _ action: String, _ payload: Value, key: String, by who: String?
  ) throws -> Outcome {
    let caseWriter = try keptCase()
    caseWriter.startLookup()
    defer { caseWriter.endLookup() }
    let id = caseWriter.id
    let stored = try caseWriter.calls.wait { try await $0.answer(to: key, of: id) }
    return try use { engine in
      Result { try self.dispatch(action, payload, key, stored, by: who, on: engine) }
    }.get()
  }

  /// Returns the writer of the host's case.
  ///
  /// - Throws: `JournalError` if the host has no journal.
  func keptCase() throws(JournalError) -> CaseWriter {
    if let caseWriter { return caseWriter }
    throw JournalError(.closed, "a dispatch with a key needs a journal, and \(name) has none")
  }

  /// Calls `body` with the stored answer to a key; the writer remembers answers that are stored meanwhile.
  package func withAnswer<Result: Sendable>(
    to key: String, _ body: (KeyedAnswer?) async throws -> Result
  ) async throws -> Result {
    let caseWriter = try keptCase()
    caseWriter.startLookup()
    defer { caseWriter.endLookup() }
    let id = caseWriter.id
    let stored = try await caseWriter.calls.call { try await $0.answer(to: key, of: id) }
    return try await body(stored)
  }

  /// Dispatches an action once, on the engine.
  ///
  /// - Parameter stored: the answer of the journal to the key; nil if there is none.
  package func dispatch(
    _ action: String, _ payload: Value, _ key: String, _ stored: KeyedAnswer?, by who: String?,
    on engine: Engine
  ) throws(JournalError) -> Outcome {
    let caseWriter = try keptCase()
    let request = CaseWriter.request(action, payload)
    if let known = caseWriter.answer(to: key, stored: stored) {
      try known.expect(request, of: caseWriter.id)
      return .passed(try commit(of: known, action, payload, engine))
    }
    let outcome = engine.dispatchAndSettle(action, payload, by: who)
    if let revision = outcome.commit?.revision {
      caseWriter.note(KeyedAnswer(key: key, request: request, revision: revision))
    }
    return outcome
  }

  /// Returns the commit of a dispatch that was answered before: from the history, or else with what is still
  /// known of it.
  private func commit(
    of known: KeyedAnswer, _ action: String, _ payload: Value, _ engine: Engine
  ) throws(JournalError) -> Commit {
    if let kept = engine.history[known.revision], kept.action == action { return kept }
    return Commit(
      answered: known.revision, action, payload, by: nil, began: engine.caseState.clock.epoch,
      secrets: engine.flow.secrets)
  }
}
