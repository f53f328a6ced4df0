import FlowKernel
import LuaRuntime

@_spi(FlowHost) import StateBlocks

/// Time travel, reloading, and the replay of transcripts.
extension FlowHost {
  // MARK: Time travel

  /// Goes to a revision that the history holds: restores state, machines, gatekeepers, clock and timers.
  ///
  /// Effects that began later are stopped and queued actions are dropped, both with a report. The next commit
  /// continues from there.
  ///
  /// - Throws: `HistoryError` if it is out of reach; `DispatchFailure` if a limit was reached; `AgentError`.
  public func go(to revision: Int) throws {
    try use { engine in Result { try engine.go(to: revision) } }.get()
  }

  /// Goes back by `count` commits.
  ///
  /// - Throws: `HistoryError` if the history holds fewer, or the count is negative; `AgentError`.
  public func undo(_ count: Int = 1) throws {
    try use { engine in Result { try engine.undo(count) } }.get()
  }

  /// Goes forward again by `count` commits that were undone.
  ///
  /// - Throws: `HistoryError` if fewer were undone, or the count is negative; `AgentError`.
  public func redo(_ count: Int = 1) throws {
    try use { engine in Result { try engine.redo(count) } }.get()
  }

  // MARK: Reloading

  /// The treatment of the state at a reload.
  public enum Reload: String, Sendable, CaseIterable {
    /// Keeps the state; new fields have their initial value.
    ///
    /// Running effects continue in the old text until they end, and pending calls are answered to them.
    case keep
    /// Starts the flow anew and replays its input, including the answers of capabilities: none is called.
    ///
    /// Calls and tasks without an answer stay open, and are answered to the effects that wait for them again.
    case replay
    /// Starts the flow anew.
    case reset
  }

  /// Loads the flow's text again.
  ///
  /// If the new text has faults or does not fit the present state, the old flow keeps running and the error
  /// says why. Subscriptions continue.
  ///
  /// - Returns: the first difference of a `.replay`, or nil if there is none.
  /// - Throws: `FlowError`, `ScriptError`, `HistoryError`, `DispatchFailure` or `HostError`;
  ///   `AgentError`.
  @discardableResult
  public func reload(_ mode: Reload = .keep) throws -> Transcript.Difference? {
    try reload(mode) { [settings] in try settings.load(loaded.withLock(\.compiled.sources)) }
  }

  /// Replaces the flow by one that was loaded before, so that many hosts share one loading.
  ///
  /// ```swift
  /// let order = try LoadedFlow(URL(filePath: "order.lua"))
  /// for host in hosts { try host.reload(to: order) }
  /// ```
  ///
  /// Otherwise as `reload(_:)`, which from now on reads the text of this flow.
  ///
  /// - Returns: the first difference of a `.replay`, or nil if there is none.
  /// - Throws: `ScriptError`, `HistoryError`, `DispatchFailure` or `HostError`; `AgentError`.
  @discardableResult
  public func reload(
    to flow: LoadedFlow, _ mode: Reload = .keep
  ) throws -> Transcript.Difference? {
    try reload(mode) { flow }
  }

  private func reload(
    _ mode: Reload, _ load: @Sendable () throws -> LoadedFlow
  ) throws -> Transcript.Difference? {
    try use { engine in
      Result {
        let loaded = try load()
        return try replace(&engine, by: loaded, mode) { try caseWriter?.store(loaded) }
      }
    }.get()
  }

  /// Replaces the flow by one that was loaded before, keeps the state, and blocks no thread.
  ///
  /// - Throws: as `reload(to:_:)`.
  package func reloadWhenFree(to flow: LoadedFlow) async throws {
    let number = try await caseWriter?.storeWhenFree(flow)
    try await useWhenFree { engine in
      Result { _ = try replace(&engine, by: flow, .keep) { number } }
    }.get()
  }

  /// Replaces the engine by one of another text of the flow.
  ///
  /// - Parameter store: stores the text in the journal, and returns its number there; nil without a journal.
  private func replace(
    _ engine: inout Engine, by loaded: LoadedFlow, _ mode: Reload, storing store: () throws -> Int?
  ) throws -> Transcript.Difference? {
    settings.setWall(of: engine)
    let isAnew = mode == .reset && engine.birth != nil
    let birth = isAnew ? engine.caseState.clock.wall : engine.birth
    let new = try settings.engine(loaded, birth: birth)
    let number = try store()
    var difference: Transcript.Difference?
    switch mode {
    case .reset: new.begin(after: engine)
    case .keep: try new.adoptState(of: engine)
    case .replay:
      guard let transcript = engine.observers.transcript else {
        throw settings.error(.noTranscript, "a replay needs HostOptions.keepsTranscript")
      }
      guard !transcript.isCutOff else {
        throw settings.error(
          .noTranscript, "the transcript is incomplete: it would have exceeded Limits.retained")
      }
      guard !transcript.beginsMidway else {
        throw settings.error(
          .noTranscript,
          "the transcript begins where the case was restored or given a state: a replay needs "
            + "all inputs from outside")
      }
      difference = new.replay(transcript, after: engine)
    }
    if let caseWriter, let number { caseWriter.use(loaded, number) }
    new.adopt(engine.observers.subscriptions)
    for lost in engine.lostLocals() { engine.report(lost) }
    engine = new
    self.loaded.withLock { $0 = loaded }
    return difference
  }

  /// The host's input from outside so far; nil unless the host was made to record it.
  public var transcript: Transcript? {
    get throws { try use { $0.observers.transcript } }
  }

  /// Replays a transcript to its end on a host that has just begun.
  ///
  /// Answers of capabilities come from the transcript, and no capability is called.
  ///
  /// - Returns: the first difference, where the flow behaves otherwise than recorded; nil if there is none.
  /// - Throws: `HostError` if something has happened already, the seed is another or the clock is real; `AgentError`.
  public func replay(_ transcript: Transcript) throws -> Transcript.Difference? {
    try expectReplay(of: transcript)
    return try use { engine in Result { try self.replay(transcript, in: engine) } }.get()
  }

  /// Replays a transcript to its end on a host that has just begun, and blocks no thread.
  ///
  /// - Throws: as `replay(_:)`.
  package func replayWhenFree(_ transcript: Transcript) async throws -> Transcript.Difference? {
    try expectReplay(of: transcript)
    return try await useWhenFree { engine in
      Result { try self.replay(transcript, in: engine) }
    }.get()
  }

  private func replay(
    _ transcript: Transcript, in engine: Engine
  ) throws -> Transcript.Difference? {
    guard engine.revision == 0, engine.time == 0 else {
      throw settings.error(
        .alreadyBegun, "a transcript can only be replayed on a host that has just started")
    }
    return engine.replay(transcript)
  }

  /// Throws unless the clock and the seed are those of a replay.
  private func expectReplay(of transcript: Transcript) throws(HostError) {
    guard alarm == nil else {
      throw settings.error(
        .realClock, "a transcript is played on a virtual clock, and that of \(name) is real")
    }
    let seed = settings.options.seed
    guard transcript.seed == seed else {
      throw settings.error(
        .otherSeed,
        "the transcript was made with seed \(transcript.seed), and this host has \(seed)")
    }
  }
}
