import Synchronization

/// Tells those who look at a case of dispatches from outside that did not pass, as they happen.
///
/// A journal tells of them with the next entry, if it stores them at all.
final class RejectionNotifier: Sendable {
  private struct State {
    var listeners: [String: [Int: AsyncStream<RejectedDispatch>.Continuation]] = [:]
    var last = 0
    var isOver = false
  }

  private let state = Mutex(State())

  /// The rejected dispatches of a case from now on; of those that nobody has read yet the newest 1,000.
  func rejections(of id: String) -> AsyncStream<RejectedDispatch> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: RejectedDispatch.self, bufferingPolicy: .bufferingNewest(1_000))
    let number = state.withLock { state -> Int? in
      if state.isOver { return nil }
      state.last += 1
      state.listeners[id, default: [:]][state.last] = continuation
      return state.last
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number, of: id) }
    return stream
  }

  private func remove(_ number: Int, of id: String) {
    state.withLock { state in
      state.listeners[id]?[number] = nil
      if state.listeners[id]?.isEmpty == true { state.listeners[id] = nil }
    }
  }

  func hasListeners(of id: String) -> Bool { state.withLock { $0.listeners[id] != nil } }

  func report(_ rejection: RejectedDispatch, of id: String) {
    let listeners = state.withLock { $0.listeners[id] ?? [:] }
    for listener in listeners.values { listener.yield(rejection) }
  }

  /// Nothing more will come.
  func end() {
    let listeners = state.withLock { state in
      state.isOver = true
      defer { state.listeners = [:] }
      return state.listeners.values.flatMap(\.values)
    }
    for listener in listeners { listener.finish() }
  }
}

extension Case {
  /// The dispatches from outside that do not pass here from now on, as they happen.
  package var rejections: AsyncStream<RejectedDispatch> { cases.rejections.rejections(of: id) }

  /// Tells those who look at the case of a dispatch that did not pass.
  func reportRejection(
    _ outcome: Outcome, of action: String, _ payload: Value, by who: String?, on host: FlowHost
  ) async throws {
    guard !outcome.isPassed, cases.rejections.hasListeners(of: id) else { return }
    // Where a host keeps what it rejects, the entry tells of it; to a case that has ended none is added.
    if cases.options.keepsRefusals, host.caseWriter?.hasEnded != true { return }
    let (revision, time) = try await host.useWhenFree { ($0.revision, $0.time) }
    cases.rejections.report(
      RejectedDispatch(
        action: action, payload: payload, by: who, cause: nil, microseconds: time,
        revision: revision, outcome: outcome),
      of: id)
  }

  /// Wakes the case and does what is due, also where that could not be done before.
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
