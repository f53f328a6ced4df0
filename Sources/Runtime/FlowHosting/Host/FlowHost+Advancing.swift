import FlowKernel

/// Time on a virtual clock.
extension FlowHost {
  /// Lets time pass on a virtual clock: timers that are due meanwhile fire in order.
  ///
  /// - Throws: `AgentError`; `HostError` on a host with a real clock.
  public func advance(_ seconds: Double) throws {
    try expectAdvance(by: seconds)
    try use { $0.advance(seconds) }
  }

  /// Lets a duration pass on a virtual clock, in whole microseconds.
  ///
  /// ```swift
  /// try host.advance(.seconds(60))
  /// ```
  ///
  /// - Throws: as `advance(_:)` with seconds.
  public func advance(_ duration: Duration) throws {
    try advance(EngineTime.seconds(EngineTime.microseconds(duration)))
  }

  /// The same for tasks.
  package func advanceWhenFree(_ duration: Duration) async throws {
    let seconds = EngineTime.seconds(EngineTime.microseconds(duration))
    try expectAdvance(by: seconds)
    try await useWhenFree { $0.advance(seconds) }
  }

  private func expectAdvance(by seconds: Double) throws(HostError) {
    guard alarm == nil else {
      throw settings.error(
        .realClock,
        "the clock of \(name) is real: it moves by itself; "
          + "HostOptions(clock: .virtual) makes one that stands still")
    }
    guard seconds >= 0, seconds.isFinite else {
      throw settings.error(.invalidTime, "advance takes seconds from 0 on, not \(seconds)")
    }
  }
}
