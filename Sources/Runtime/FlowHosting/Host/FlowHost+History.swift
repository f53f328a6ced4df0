import FlowKernel
import LuaRuntime

@_spi(FlowHost) import StateBlocks

/// Going along the history, other texts of the flow, and playing what was recorded.
extension FlowHost {
  // MARK: Time travel

  /// Goes to a revision that the history holds: state, machines, gatekeepers, clock, timers.
  ///
  /// Effects that began later are stopped and what is queued is dropped, both with a report; the next
  /// transition continues from there.
  ///
  /// - Throws: `HistoryError` when it is out of reach; `DispatchFailure` when a limit was reached;
  ///   `AgentError`.
  public func go(to revision: Int) throws {
    try use { engine in Result { try engine.go(to: revision) } }.get()
  }

  /// Goes back by transitions.
  ///
  /// - Throws: `HistoryError` when the history holds fewer, or the count is negative; `AgentError`.
  public func undo(_ count: Int = 1) throws {
    try use { engine in Result { try engine.undo(count) } }.get()
  }

  /// Goes forward again by transitions that were undone.
  ///
  /// - Throws: `HistoryError` when fewer were, or the count is negative; `AgentError`.
  public func redo(_ count: Int = 1) throws {
    try use { engine in Result { try engine.redo(count) } }.get()
  }

  // MARK: Reloading

  /// What a reload does with the state.
  public enum Reload: String, Sendable, CaseIterable {
    /// The state is kept; fields that are new have their initial value. Effects that have begun go on in
    /// their text until they end, and calls that are under way are answered to them.
    case keep
    /// The flow starts anew and what came from outside is played again, answers of capabilities
    /// included: nobody is called.
    case replay
    /// The flow starts anew.
    case reset
  }

  /// Loads the flow's text again.
  ///
  /// Where it has faults or does not fit what is there, the old flow keeps running and the error
  /// says why. Subscriptions go on.
  ///
  /// - Returns: for `.replay` the first difference, if there is one.
  /// - Throws: `FlowError`, `ScriptError`, `HistoryError`, `DispatchFailure` or `HostError`;
  ///   `AgentError`.
  @discardableResult
  public func reload(_ mode: Reload = .keep) throws -> Transcript.Difference? {
    try reload(mode) { [settings] in try settings.load(loaded.withLock(\.compiled.sources)) }
  }

  /// Takes over a flow that was loaded before, so that many hosts share one loading.
  ///
  /// ```swift
  /// let order = try LoadedFlow(URL(filePath: "order.lua"))
  /// for host in hosts { try host.reload(to: order) }
  /// ```
  ///
  /// Otherwise as `reload(_:)`, which reads the text of this flow from now on.
  ///
  /// - Returns: for `.replay` the first difference, if there is one.
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
    let settings = settings
    return try use { engine in
      Result {
        let loaded = try load()
        settings.setWall(of: engine)
        let isAnew = mode == .reset && engine.birth != nil
        let birth = isAnew ? engine.caseState.clock.wall : engine.birth
        let new = try settings.engine(loaded, birth: birth)
        let number = try caseWriter?.store(loaded)
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
              .noTranscript, "the transcript ended before now: it took more than Limits.retained")
          }
          guard !transcript.beginsMidway else {
            throw settings.error(
              .noTranscript,
              "the transcript begins where the case was restored or given a state: a replay needs "
                + "all that came from outside")
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
    }.get()
  }

  /// What came from outside so far, if the host was made to keep it.
  public var transcript: Transcript? {
    get throws { try use { $0.observers.transcript } }
  }

  /// Plays a transcript to its end on a host that has just begun.
  ///
  /// Answers of capabilities come from the record, and nobody is called.
  ///
  /// - Returns: the first difference, if there is one: where the flow has changed since.
  /// - Throws: `HostError` when something has happened already, the seed is another or the clock is
  ///   real; `AgentError`.
  public func replay(_ transcript: Transcript) throws -> Transcript.Difference? {
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
    return try use { [settings] engine in
      Result {
        guard engine.revision == 0, engine.time == 0 else {
          throw settings.error(
            .alreadyBegun, "a transcript is played on a host that has just begun")
        }
        return engine.replay(transcript)
      }
    }.get()
  }
}
