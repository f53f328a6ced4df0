import FlowHosting
import FlowKernel
import LuaRuntime

extension Case {
  /// The rejected dispatches from outside to this node from now on, as they happen.
  package var rejections: AsyncStream<RejectedDispatch> { cases.rejections.messages(about: id) }

  /// Broadcasts a rejected dispatch to the observers of the case.
  func reportRejection(
    _ outcome: Outcome, of action: String, _ payload: Value, by who: String?, on host: FlowHost
  ) async throws {
    guard !outcome.isPassed, cases.rejections.hasListeners(of: id) else { return }
    // If the host stores rejected dispatches, an entry has this one, unless the case has ended.
    if cases.options.keepsRefusals, host.caseWriter?.hasEnded != true { return }
    let (revision, time) = try await host.useWhenFree { ($0.revision, $0.time) }
    cases.rejections.send(
      RejectedDispatch(
        action: action, payload: payload, by: who, cause: nil, microseconds: time,
        revision: revision, outcome: outcome),
      about: id)
  }

  /// Wakes the case and runs what is due, also if that has failed before.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public func retry() async throws {
    if cases.node == nil {
      try await cases.use(id) { try await $0.catchUp() }
    } else {
      _ = try await state()
    }
    cases.note(id, troubledUntil: nil)
  }
}
