import FlowKernel
import LuaRuntime
import Platform

/// Dispatches that are done once, by their keys.
extension FlowHost {
  /// Offers an action once: a second dispatch with the same key answers as the first did.
  ///
  /// Only what has passed is kept: after a refusal, or where something failed, the same key is offered anew.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - key: chosen by whoever dispatches, one for each thing that is to be done once.
  ///   - who: who offers it, as `by()` says.
  /// - Throws: as `dispatch(_:_:)`; `JournalError`, if the key was given to another action or payload, or the host
  ///   keeps no journal.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], key: String, by who: String? = nil
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

  /// The writer that keeps the host's case.
  ///
  /// - Throws: `JournalError`, if it keeps none.
  func keptCase() throws(JournalError) -> CaseWriter {
    if let caseWriter { return caseWriter }
    throw JournalError(.closed, "a dispatch with a key needs a journal, and \(name) has none")
  }

  /// Does something with what the journal says of a key, which nobody's dispatch invalidates meanwhile.
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

  /// - Parameter stored: what the journal says of the key.
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

  /// The transition of a dispatch that was answered before: as the history has it, or what is known of it still.
  private func commit(
    of known: KeyedAnswer, _ action: String, _ payload: Value, _ engine: Engine
  ) throws(JournalError) -> Commit {
    if let kept = engine.history[known.revision], kept.action == action { return kept }
    return Commit(
      answered: known.revision, action, payload, by: nil, began: engine.caseState.clock.epoch,
      secrets: engine.flow.secrets)
  }
}
