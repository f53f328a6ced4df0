import FlowKernel
import FlowLanguage

/// The options and scopes of a host, from which its engine is made, again at each reload.
package struct HostSettings: Sendable {
  package let options: HostOptions
  package let scopes: HostScopes
  /// The pending calls of the host, whichever version of the flow made them.
  package let calls: PendingCalls
  package let name: HostName
  /// True if a turn of a journaled case may have to wait for the journal before it ends.
  let mayWaitMidway: Bool

  package init(_ options: HostOptions, _ scopes: HostScopes, flow: String) {
    (self.options, self.scopes) = (options, scopes)
    mayWaitMidway = scopes.capabilities.answersAtOnce
    let name = options.name(of: flow)
    self.name = name
    calls = PendingCalls { [report = options.report] in report(HostReport($0, from: name)) }
  }

  /// The time at which a host or a case begins, in microseconds since 1970.
  ///
  /// It is `HostOptions.began`, or else the wall clock's time.
  package var began: Int {
    options.began.map { EngineTime.microseconds($0.timeIntervalSince1970) } ?? options.wall()
  }

  /// Sets the clock of an engine to the wall clock, unless the clock is virtual.
  package func setWall(of engine: Engine) {
    if options.clock.movesByItself { engine.caseState.clock.set(wall: options.wall()) }
  }

  /// Loads a flow from its sources, at each reload anew.
  package func load(_ sources: FlowSources) throws -> LoadedFlow {
    try LoadedFlow(sources, limits: options.limits, log: options.log(of: sources.name))
  }

  /// Makes an error with this host's id.
  package func error(_ kind: HostError.Kind, _ message: String) -> HostError {
    ours(HostError(kind, message))
  }

  /// Returns the error with this host's id.
  package func ours(_ error: HostError) -> HostError {
    var error = error
    error.host = name.id
    return error
  }

  /// Makes an engine for a loaded flow.
  ///
  /// - Parameter birth: the time at which the case was born, in microseconds since 1970; nil if the host has no case.
  package func engine(_ loaded: LoadedFlow, birth: Int? = nil) throws -> Engine {
    do {
      return try makeEngine(loaded, birth)
    } catch let error as HostError {
      throw ours(error)
    }
  }

  private func makeEngine(_ loaded: LoadedFlow, _ birth: Int?) throws -> Engine {
    let capabilities = scopes.capabilities
    if let fault = capabilities.faults.first { throw HostError(.parameters, fault) }
    let log = options.log(
      of: loaded.name,
      hiding: loaded.flow.secrets == nil ? nil : options.secretTexts ?? SecretTexts())
    let engine = try Engine(
      loaded, limits: options.limits, log: log, seed: options.seed,
      parts: HostParts(
        capabilities: capabilities, hostRules: options.hostRules, scopes: scopes.declared,
        random: options.random, birth: birth, wall: birth == nil ? began : 0))
    for scope in capabilities.scopes where !engine.scopeNames.contains(scope) {
      throw HostError(
        .undeclaredScope(scope),
        "\(engine.flow.file) declares no scope \(scope) to provide capabilities to"
          + Names.suggestion(for: scope, among: engine.scopeNames))
    }
    engine.calls.pending = calls
    let (name, report, texts) = (name, options.report, engine.secretTexts)
    engine.report = {
      if case .handled(_, _, _, isFault: false) = $0 { return }  // the flow has seen to it
      report(HostReport($0, from: name, hiding: texts))
    }
    engine.settings.hostName = name.text
    if options.findsChangedLocals { try engine.findChangedLocals() }
    if options.keepsTranscript {
      engine.observers.transcript = Transcript(
        flow: engine.flow.file, hash: engine.flow.hash, seed: options.seed)
    }
    return engine
  }
}
