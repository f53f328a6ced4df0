import LuaRuntime

/// How a host runs its flow.
public struct HostOptions: Sendable {
  /// What the flow may use.
  public var limits: Limits
  /// What moves the clock.
  public var clock: HostClock
  /// The seed of `random()`: the same flow with the same seed and inputs gives the same run.
  public var seed: UInt64
  /// Where the numbers behind `random()` come from; nil for the generator that comes with Moonlatch.
  ///
  /// A transcript keeps the seed, not the source: to replay one exactly, give the same source, and let
  /// it be a pure function of seed and position.
  public var random: RandomSource?
  /// Whether to remember what comes from outside, for `transcript` and `reload(.replay)`.
  public var keepsTranscript: Bool
  /// Whether to look after each call for locals of the flow's files that its functions have changed,
  /// and to report them; a reload tells which of them it loses.
  public var findsChangedLocals: Bool
  /// Where a script's `print` goes.
  public var print: @Sendable (String) -> Void
  /// Where it is said what went wrong away from any call: an effect that raised an error, an action
  /// from the queue that failed or was refused.
  public var report: @Sendable (String) -> Void

  var natives = NativeParts()

  /// The options; what is left out is as shown.
  ///
  /// `print` and `report` go to standard error.
  public init(
    limits: Limits = Limits(), clock: HostClock = .real, seed: UInt64 = 0,
    random: RandomSource? = nil, keepsTranscript: Bool = false, findsChangedLocals: Bool = false,
    print: (@Sendable (String) -> Void)? = nil, report: (@Sendable (String) -> Void)? = nil
  ) {
    self.limits = limits
    self.clock = clock
    self.seed = seed
    self.random = random
    self.keepsTranscript = keepsTranscript
    self.findsChangedLocals = findsChangedLocals
    self.print = print ?? { Terminal.writeError($0 + "\n") }
    self.report = report ?? { Terminal.writeError($0 + "\n") }
  }
}

/// A host was asked for something that it cannot do.
public struct HostError: Error, Sendable, CustomStringConvertible {
  /// A sentence.
  public let description: String
}

/// What it takes to make an engine, again at each reload.
struct HostSettings: Sendable {
  let options: HostOptions
  let scopes: HostScopes
  /// The calls under way, whichever text of the flow has made them.
  let calls: PendingCalls

  init(options: HostOptions, scopes: HostScopes) {
    (self.options, self.scopes) = (options, scopes)
    calls = PendingCalls { [report = options.report] in report($0.description) }
  }

  /// Reads the flow's text, anew at each reload.
  func load(_ sources: FlowSources) throws -> LoadedFlow {
    try LoadedFlow(sources, limits: options.limits, log: ScriptLog(options.print))
  }

  func engine(_ loaded: LoadedFlow) throws -> Engine {
    let capabilities = scopes.capabilities
    if let fault = capabilities.faults.first { throw HostError(description: fault) }
    let engine = try Engine(
      loaded, limits: options.limits, log: ScriptLog(options.print), seed: options.seed,
      capabilities: capabilities,
      parts: HostParts(
        natives: options.natives, scopes: scopes.declared, random: options.random))
    for scope in capabilities.scopes where !engine.scopeNames.contains(scope) {
      throw HostError(
        description: "\(engine.flow.file) declares no scope \(scope) to provide capabilities to"
          + Names.suggestion(for: scope, among: engine.scopeNames))
    }
    engine.pendingCalls = calls
    let report = options.report
    engine.report = {
      if case .handled = $0 { return }  // the flow has seen to it
      report($0.description)
    }
    if options.findsChangedLocals { try engine.findChangedLocals() }
    if options.keepsTranscript {
      engine.transcript = Transcript(
        flow: engine.flow.file, hash: engine.flow.hash, seed: options.seed)
    }
    return engine
  }
}
