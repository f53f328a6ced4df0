import FlowHosting
import FlowKernel

/// Time travel, snapshots and transcripts of a case, as a host has them.
extension Case {
  /// Goes to a revision that the history in memory holds: restores state, machines, gatekeepers, clock and
  /// timers.
  ///
  /// The move is stored as every other turn is.
  ///
  /// - Throws: `HistoryError` if it is out of reach; `DispatchFailure` if a limit was reached; as
  ///   `dispatch(_:_:by:)`; `JournalError` of the kind `fenced` if another node holds the case.
  public func go(to revision: Int) async throws {
    try await travel { try await $0.go(to: revision) }
  }

  /// Goes back by `count` commits.
  ///
  /// - Throws: as `go(to:)`.
  public func undo(_ count: Int = 1) async throws {
    try await travel { try await $0.undo(count) }
  }

  /// Goes forward again by `count` commits that were undone.
  ///
  /// - Throws: as `go(to:)`.
  public func redo(_ count: Int = 1) async throws {
    try await travel { try await $0.redo(count) }
  }

  /// Returns a snapshot of the case, from which a host can be restored.
  ///
  /// - Throws: `ScriptError` if there is not enough memory; as `dispatch(_:_:by:)`; `JournalError` of the kind
  ///   `fenced` if another node holds the case.
  public func snapshot() async throws -> Snapshot {
    try expectHere()
    return try await cases.use(id) { host in
      let snapshot = try await host.snapshotWhenFree()
      try await expectRight(of: host)
      return snapshot
    }
  }

  /// The input of the case from outside since it was activated; nil unless `HostOptions.keepsTranscript` is true.
  ///
  /// A case that was activated from the journal has one that begins there (`Transcript.beginsMidway`).
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` of the kind `fenced` if another node holds the case.
  public var transcript: Transcript? {
    get async throws { try await examine { $0.observers.transcript } }
  }

  /// Replays a transcript to its end in a case that was just created; no capability is called.
  ///
  /// - Returns: the first difference, where the flow behaves otherwise than recorded; nil if there is none.
  /// - Throws: `HostError` if something has happened already, the seed is another or the clock is real; as
  ///   `go(to:)`.
  public func replay(_ transcript: Transcript) async throws -> Transcript.Difference? {
    try expectHere()
    return try await cases.use(id) { host in
      try expectLife(of: host)
      return try await host.replayWhenFree(transcript)
    }
  }

  private func travel(_ body: @Sendable (FlowHost) async throws -> Void) async throws {
    try expectHere()
    try await cases.use(id) { host in
      try expectLife(of: host)
      try await body(host)
    }
  }
}
