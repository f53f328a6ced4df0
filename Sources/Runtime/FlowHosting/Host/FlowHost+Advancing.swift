import FlowKernel

/// Time on a virtual clock.
extension FlowHost {
  /// Advances a virtual clock by seconds, for tests.
  package func advance(_ seconds: Double) throws {
    try expectAdvance(by: seconds)
    try use { $0.advance(seconds) }
  }

  /// Advances a virtual clock by a duration, in whole microseconds; timers that fall due fire in order.
  ///
  /// ```swift
  /// try host.advance(.seconds(60))
  /// ```
  ///
  /// - Throws: `AgentError`; `HostError` on a host with a real clock, or if the duration is negative.
  public func advance(_ duration: Duration) throws {
    try advance(EngineTime.seconds(EngineTime.microseconds(duration)))
  }

  /// Advances a virtual clock by a duration, as the synchronous `advance(_:)` does, and blocks no thread.
  ///
  /// - Throws: as the synchronous `advance(_:)`; `JournalError` if the journal cannot store the turn.
  public func advance(_ duration: Duration) async throws { try await advance(duration) {} }

  /// Advances a virtual clock by a duration, unless `expect` throws an error in the same turn.
  package func advance(
    _ duration: Duration, after expect: @Sendable () throws -> Void
  ) async throws {
    let seconds = EngineTime.seconds(EngineTime.microseconds(duration))
    try expectAdvance(by: seconds)
    try await useWhenFree { engine in
      Result {
        try expect()
        engine.advance(seconds)
      }
    }.get()
  }

  private func expectAdvance(by seconds: Double) throws(HostError) {
    guard alarm == nil else {
      throw settings.error(
        .realClock,
        "the clock of \(name) is real and cannot be advanced; "
          + "make the host with HostOptions(clock: .virtual)")
    }
    guard seconds >= 0, seconds.isFinite else {
      throw settings.error(.invalidTime, "advance takes 0 or more seconds, not \(seconds)")
    }
  }
}
