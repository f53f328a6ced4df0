import FlowHosting
import FlowKernel
import FlowTools
import LuaRuntime

/// Replacing the flow's text in a session.
extension Session {
  typealias Reload = FlowHost.Reload

  /// Loads the flow's text again.
  ///
  /// If it has errors or does not fit the state, the old flow stays.
  func reload(_ mode: Reload) throws -> String {
    if mode == .replay { try expectNotKept(":reload replay plays the session again") }
    letTimePass()
    return try turn { try takeText(mode) }
  }

  private func takeText(_ mode: Reload) throws -> String {
    let log = Session.log(told, secretTexts, style)
    let loaded = try LoadedFlow(text.sources, limits: options.limits, log: log)
    let new = try Session.makeEngine(
      loaded, log, halt == nil ? options.capabilities : Capabilities())
    defer { if kept != nil { engine.observers.transcript = nil } }
    switch mode {
    case .reset:
      if kept != nil { new.record(insteadOf: engine) }
      try replace(by: new, of: loaded, because: "the flow was restarted")
      try kept?.take(loaded)
      played = PlayedSteps()
      return "reloaded; the state was reset"
    case .keep:
      do {
        try new.adoptState(of: engine)
      } catch {
        throw CommandError(
          "the state does not fit the new source: \(Session.summary(of: error)); the old one keeps "
            + "running (:reload replay plays the session again with the new one, :reload reset "
            + "resets the state)"
        )
      }
      let difference = try? firstDifference()
      try replace(by: new, of: loaded)
      try kept?.take(loaded)
      return "reloaded; the state was kept" + text(of: difference ?? nil)
    case .replay:
      try mustBeOwn()
      guard let transcript = engine.observers.transcript else { return "" }
      guard !transcript.isCutOff else {
        return
          "nothing was reloaded: the transcript is incomplete, because it needed too much memory"
      }
      try replace(by: new, of: loaded, because: "the flow is replayed from the beginning")
      played = PlayedSteps()
      let difference = play(transcript)
      return "reloaded and played again up to #\(revision)" + text(of: difference)
    }
  }

  private func text(of difference: String?) -> String {
    difference.map { "; the first difference from before: \($0)" } ?? ""
  }

  /// Returns an error on one line, without its stack trace.
  private static func summary(of error: any Error) -> String {
    switch error {
    case let error as ScriptError: error.summary
    case let error as DispatchFailure: error.summary
    default: "\(error)"
    }
  }

  func makeEngine(_ text: SessionText) throws -> (engine: Engine, loaded: LoadedFlow) {
    let log = Session.log(told, secretTexts, style)
    let loaded = try LoadedFlow(text.sources, limits: options.limits, log: log)
    return (try Session.makeEngine(loaded, log), loaded)
  }

  /// Replaces the engine by another one, which runs `loaded`.
  ///
  /// If the new one cannot be installed, the old one stays.
  func replace(by new: Engine, of loaded: LoadedFlow, because reason: String? = nil) throws {
    let (old, covered) = (engine, coverage)
    engine = new
    do {
      try install()
      self.loaded = loaded
    } catch {
      (engine, coverage) = (old, covered)
      if options.isInterruptible { Interruption.stops(old.vm) }
      beside = GatekeepersAndScopes(old)
      old.unfollowViews()
      viewValues = settings.showsViews ? old.followViews() : [:]
      throw error
    }
    // Without a reason the new engine has taken over all work, and shares it with the old one.
    if let reason { old.end(because: reason) }
  }

  /// Plays the steps of the session on the current text in a silent trial, and returns the first difference.
  private func firstDifference() throws -> String? {
    guard let transcript = engine.observers.transcript, !transcript.entries.isEmpty else {
      return nil
    }
    let trial = try Session(trying: self)
    return trial.play(transcript)
  }

  /// Creates a copy of a session that reports nothing.
  private convenience init(trying other: Session) throws {
    var options = other.options
    options.style = .plain
    options.isInterruptible = false
    options.journal = nil
    options.capabilities = Capabilities()
    try self.init(
      flow: other.text.file, name: other.text.displayName, options: options, output: { _ in })
    if other.text.isTyped {
      text = other.text
      let (engine, loaded) = try makeEngine(text)
      try replace(by: engine, of: loaded)
    }
    settings.showsViews = false
    engine.unfollowViews()
  }

  /// Plays a transcript and returns the first difference as a sentence.
  func play(_ transcript: Transcript) -> String? {
    engine.replay(transcript) { entry in
      switch entry {
      case .advance(let microseconds): advance(microseconds: microseconds)
      case .dispatch(let action, let payload, let then, _):
        try? dispatch(
          [.string(action), payload, .boolean(engine.wasFromInside(action, then))])
        return played.lastOutcome
      case .settle: break  // every dispatch of a session settles
      case .go(let target): try go(to: target)
      case .stub(let name, let source): try stub(name, source)
      case .given(let given): try give(given)
      default: throw Engine.NotPlayed()
      }
      return nil
    }?.description
  }

  // MARK: Declarations

  /// Adds a declaration to a flow that is typed.
  func declare(_ declaration: TypedDeclaration) -> Answer {
    let isNew = !text.has(declaration.head)
    let changed = text.adding(.init(head: declaration.head, text: declaration.text))
    do {
      let (new, loaded) = try makeEngine(changed)
      var note = isNew ? "declared \(declaration.head)" : "redeclared \(declaration.head)"
      if revision > 0 {
        do {
          try new.adoptState(of: engine)
        } catch {
          note += "; the state was reset: \(error)"
          played = PlayedSteps()
        }
      }
      try replace(by: new, of: loaded)
      text = changed
      return .value(style.quiet(note))
    } catch let error as ScriptError {
      return .error(error.report)
    } catch {
      return .error("\(error)")
    }
  }
}
