import FlowLanguage
import LuaRuntime
import StateCharts

/// A running flow: the VM with its state, and the steps of a dispatch.
///
/// An engine belongs to one thread at a time; `FlowHost` keeps it in an Agent. The steps of a dispatch are, in order:
/// `prepare` and `evaluateRules` (steps 1 to 5, Engine+Admission), `applyTransitions` (step 6, Engine+Transitions),
/// `finishDispatch` (step 7), and the effects (step 8, Engine+Effects).
package final class Engine {
  // The properties that every dispatch reads and writes are not checked for exclusive access: the engine belongs to
  // one thread at a time, and none of these accesses spans a call that could lead back here.

  // MARK: State

  /// The VM, which holds the tree of the flow's state.
  package let vm: LuaVM
  /// The rest of the case's state, outside of the VM.
  @exclusivity(unchecked) package var caseState: CaseState
  @exclusivity(unchecked) package var derived: DerivedState
  @exclusivity(unchecked) var scratch = StepScratch()
  @exclusivity(unchecked) var caches: EngineCaches

  // MARK: Configuration

  let configuration: EngineConfiguration
  @exclusivity(unchecked) package var settings = EngineSettings()

  // MARK: Parts at work

  @exclusivity(unchecked) package internal(set) var history: History
  package let scopes: ScopeTree
  @exclusivity(unchecked) var hostScopeInstances = HostScopeInstances()
  @exclusivity(unchecked) package var effects = RunningEffects()
  @exclusivity(unchecked) package var calls: CapabilityCalls
  /// The version of the flow's text in which new effects start.
  let flowVersion: RunningEffects.FlowVersion
  /// The work of an SCXML document's sessions in the current dispatch.
  private(set) lazy var documentRun = DocumentRun()

  // MARK: Observers

  package let log: ScriptLog
  /// The secrets that the state or payloads have contained; nil if the flow declares none.
  package let secretTexts: SecretTexts?
  @exclusivity(unchecked) package var observers = EngineObservers()
  /// The writer of the journal's entries; nil if the host has no journal.
  @exclusivity(unchecked) package var caseWriter: (any TurnWriter)?
  /// The instrumentation of a run; nil unless the flow is explored.
  @exclusivity(unchecked) var instrumentation: RunInstrumentation?
  /// True if a script has read the time, or the time of a passage, since this was last reset.
  @exclusivity(unchecked) package internal(set) var hasReadClock = false
  /// Receives reports of errors outside of the host's own dispatches: in effects and in queued actions.
  package var report: (Report) -> Void = { _ in } {
    didSet { if dialect.entersByMacrostep { tellOfBeginning() } }
  }

  /// Opens a VM and starts the flow in it.
  ///
  /// - Parameter birth: the time at which the case was created, in microseconds since 1970; nil if this is no case.
  package convenience init(
    _ loaded: LoadedFlow, limits: Limits, log: ScriptLog, seed: UInt64 = 0, birth: Int? = nil
  ) throws {
    try self.init(loaded, limits: limits, log: log, seed: seed, parts: HostParts(birth: birth))
  }

  /// Opens an engine for an exploration, with the rules and reducers that a host adds in Swift, without its
  /// capabilities.
  ///
  /// The initial state is not checked against the invariants.
  package convenience init(
    _ loaded: LoadedFlow, limits: Limits, log: ScriptLog, exploredFor host: HostOptions?
  ) throws {
    var parts = HostParts(hostRules: host?.hostRules ?? HostRules())
    parts.checksBeginning = false
    try self.init(loaded, limits: limits, log: log, seed: 0, parts: parts)
  }

  /// Opens an engine for a host, with the parts that the host adds to the flow.
  package convenience init(
    _ loaded: LoadedFlow, limits: Limits, log: ScriptLog, seed: UInt64, parts: HostParts
  ) throws {
    let vm = try loaded.open(limits: limits) { vm throws(ScriptError) in
      try log.attach(to: vm)
      vm.beginWork(.loading, budget: limits.instructionsPerLoad)
    }
    defer { vm.endWork() }
    try self.init(
      loaded, startedIn: vm, limits: limits, log: log, seed: seed, parts: parts)
  }

  /// Creates an engine for a scenario, with a host's options and virtual time.
  ///
  /// - Parameter prepare: prepares the VM before anything of this host runs in it.
  package convenience init(
    _ loaded: LoadedFlow, startedIn vm: LuaVM, options: HostOptions, log: ScriptLog,
    prepare: () throws -> Void
  ) throws {
    try self.init(
      loaded, startedIn: vm, limits: options.limits, log: log, seed: options.seed,
      parts: HostParts(hostRules: options.hostRules, random: options.random), prepare: prepare)
  }

  /// Creates an engine around a VM in which the flow was started under the same limits.
  private init(
    _ loaded: LoadedFlow, startedIn vm: LuaVM, limits: Limits, log: ScriptLog, seed: UInt64,
    parts: HostParts, prepare: () throws -> Void = {}
  ) throws {
    let configuration = try EngineConfiguration(loaded, limits: limits, seed: seed, parts: parts)
    (self.vm, self.log) = (vm, log)
    calls = CapabilityCalls(capabilities: parts.capabilities)
    caseState = CaseState(
      random: SeededRandom(seed: parts.random == nil ? seed : 0),
      effectRandom: SeededRandom(seed: parts.random == nil ? Engine.effectSeed(seed) : 0),
      clock: CaseClock(wall: parts.birth ?? parts.wall, isCase: parts.birth != nil))
    history = History(limit: limits.history)
    secretTexts = loaded.flow.secrets == nil ? nil : log.secretTexts ?? SecretTexts()
    var actions = loaded.actions
    for name in parts.scopes.flatMap(\.actions) {
      actions[name] = configuration.flow.action(named: name).map {
        LoadedAction(
          $0, in: configuration.flow, loaded.machines,
          payloadShape: loaded.payloadShape(of: name))
      }
    }
    caches = EngineCaches(actions: LoadedActions(actions))
    derived = DerivedState(
      configuration: configuration.loadedMachines.flatMap(\.beginning),
      scopeKeys: ScopeKeys(count: configuration.flow.scopes.count))
    scopes = try ScopeTree(configuration.flow.scopes)
    flowVersion = RunningEffects.FlowVersion(
      vm: vm, views: configuration.flow.views.map(\.function.name))
    self.configuration = consume configuration
    provideHostFunctions()
    if let obstacles = flow.document?.obstacles, !obstacles.isEmpty { throw FlowError(obstacles) }
    try prepare()
    try enterInitialStates(loaded.beginnings, checksInvariants: parts.checksBeginning)
  }

  /// Starts the flow from its initial states.
  ///
  /// Takes the first microsteps, checks the invariants, opens the scopes whose keys are present, and starts the timers
  /// and effects of the active states.
  private func enterInitialStates(_ beginnings: [Microstep], checksInvariants: Bool) throws {
    vm.beginWork(.loading, budget: limits.instructionsPerLoad)
    defer { vm.endWork() }
    try vm.checkState()
    var moves = beginnings
    try noteRecords()
    var notes = scratch.recordNotes
    scratch.recordNotes = RecordChanges()
    if eventless != nil || dialect.entersByMacrostep {
      do throws(Rejection) {
        if dialect.entersByMacrostep {
          moves = try takeDocumentStart()
        } else {
          try takeFirstEventlessMicrosteps(&moves)
        }
      } catch {
        if error.failure.kind == .limit, let script = error.failure.script { throw script }
        throw fault(error.failure)
      }
    }
    if checksInvariants, let failure = brokenInvariant(action: "the initial state") {
      throw fault(failure, at: flow.invariants.first?.function.place)
    }
    do throws(ScriptError) {
      notes.add(scratch.recordNotes.all)
      scratch.recordNotes = notes
      let delays = try workOutDelays(entering: moves)
      take(try workOutKeys())
      refreshScopes(since: nil)
      start(delays ?? [], Cause(revision: 0))
      if dialect.entersByMacrostep { sendMessages(Cause(revision: 0), isStarting: true) }
      queueEffects(of: moves)
    } catch {
      guard error.kind == .runtime else { throw error }
      throw FlowError([
        Diagnostic(file: error.chunk ?? flow.file, line: error.line ?? 0, message: error.message)
      ])
    }
    forgetTouchedViews()
    caseState.forgetChanges()
    noteSecretsOfState()
  }

  /// Returns a failure at the start as an error of the flow, with its place.
  private func fault(_ failure: DispatchFailure, at place: SourcePlace? = nil) -> FlowError {
    FlowError([
      Diagnostic(
        file: failure.script?.chunk ?? place?.file ?? flow.file,
        line: failure.script?.line ?? place?.line ?? 0, message: failure.message)
    ])
  }

  /// The microsteps of the latest commit, in order, if they are recorded.
  ///
  /// The commit handler reads them here. After a scenario's `given` they are the eventless microsteps, and before the
  /// first commit those of the start.
  package var latestSteps: [MicrostepRecord] { scratch.latestSteps }

  /// The payload of the queued action that is being reported.
  package var payloadFromQueue: Value { scratch.payloadFromQueue }

  /// The current revision: the number of commits that led to the state.
  package var revision: Int { caseState.revision }

  /// The current time, in microseconds since the flow began.
  package var time: Int { caseState.clock.now }

  package var budget: Int { limits.instructionsPerDispatch }

  // MARK: Dispatch

  /// Runs the queue, then dispatches an action.
  ///
  /// Every error becomes an outcome, and a rejected action changes nothing. When this returns, the action's effects
  /// have run to their first wait, and the actions that they dispatched are queued.
  @inline(__always)
  package func dispatch(_ name: String, _ payload: Value) -> Outcome {
    caseState.queue.outsideCame()
    if !caseState.queue.isEmpty { forNobody { runQueue() } }
    let outcome = dispatch(name, payload, cause: nil)
    if !observers.interests.isDisjoint(with: [.inputs, .locals]) {
      transcribe(name, payload, outcome)
      reportChangedLocals(after: name)
    }
    return outcome
  }

  /// Dispatches an action for a user, whose name `by()` returns in gates, reducers and effects.
  ///
  /// The name applies to this action alone, not to queued ones.
  package func dispatch(_ name: String, _ payload: Value, by who: String?) -> Outcome {
    guard let who else { return dispatch(name, payload) }
    caseState.queue.outsideCame()
    if !caseState.queue.isEmpty { forNobody { runQueue() } }
    transcribe(.by(who))
    scratch.dispatchedBy = who
    defer { scratch.dispatchedBy = nil }
    return dispatch(name, payload)
  }

  /// Dispatches an action for a user, then runs the queue.
  package func dispatchAndSettle(_ name: String, _ payload: Value, by who: String?) -> Outcome {
    let outcome = dispatch(name, payload, by: who)
    settle()
    return outcome
  }

  /// Dispatches an action, then runs the queue.
  @inline(__always)
  package func dispatchAndSettle(_ name: String, _ payload: Value) -> Outcome {
    let outcome = dispatch(name, payload)
    settle()
    return outcome
  }

  /// Dispatches several actions, and runs the queue after each.
  package func dispatch(
    batch actions: [(action: String, payload: Value)], by who: String? = nil
  ) -> [Outcome] {
    actions.map { dispatchAndSettle($0.action, $0.payload, by: who) }
  }

  private func transcribe(_ name: String, _ payload: Value, _ outcome: Outcome) {
    transcribe(
      .dispatch(
        action: name, payload: payload, outcome: outcome.transcribed, revision: revision))
  }

  /// Returns the permission of an action in the current state, without dispatching it.
  ///
  /// An action that a state would postpone is granted, unless the limit of postponed actions is reached.
  package func may(_ name: String, _ payload: Value) -> Permission {
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    do {
      _ = try evaluateRules(prepare(name, payload, nil).takeUnretainedValue(), nil)
      return .granted
    } catch {
      guard case .refused(let refusal) = error, refusal.postponedIn != nil else {
        return Permission(error)
      }
      return refusal.ofExcess(in: caseState.timers, limits).map { .refused($0) } ?? .granted
    }
  }

  /// Returns the permission of an action in the current state if this user dispatched it.
  package func may(_ name: String, _ payload: Value, by who: String?) -> Permission {
    let before = scratch.dispatchedBy
    scratch.dispatchedBy = who
    defer { scratch.dispatchedBy = before }
    return may(name, payload)
  }

  /// Returns the declared action with this name; nil if there is none.
  ///
  /// The reference is unmanaged: the engine keeps the action alive, and counting references would cost more than the
  /// lookup.
  func action(named name: String) -> Unmanaged<LoadedAction>? {
    if let action = caches.actions[name] { return action }
    guard let document = flow.document, document.knows(name) else { return nil }
    // A transition names it by a part of its name, or by "*".
    return event(called: name)
  }

  /// Returns the fields that an effect may read of the payload of the action that began it; any if an earlier version
  /// declared that action.
  func payloadShape(of action: String) -> PayloadShape {
    if action.isEmpty, !dialect.acceptsAnyEvent { return PayloadShapes.none }
    return self.action(named: action)?._withUnsafeGuaranteedRef { $0.payloadShape } ?? .open
  }

  /// Returns the action for an event of a document that no transition names in full.
  ///
  /// The latest of these actions are kept alive, so that each outlives its dispatch: content looks up no others.
  func event(called name: String) -> Unmanaged<LoadedAction> {
    let action = LoadedAction(
      FlowDocument.action(name, at: flow.machines[0].place), in: flow, loadedMachines,
      payloadShape: .open)
    documentRun.actions.append(action)
    if documentRun.actions.count > 64 { documentRun.actions.removeFirst(32) }
    return .passUnretained(action)
  }

  /// Dispatches an action under one budget, from the check of the payload to the first waits of its effects.
  @inline(__always)
  package func dispatch(_ name: String, _ payload: Value, cause: Cause?) -> Outcome {
    if let secretTexts { flow.secrets?.find(in: payload, of: name, secretTexts.note) }
    vm.beginWork(.dispatch, budget: budget)
    let outcome = outcome(of: name, payload, cause)
    vm.endWork()
    if observers.interests.contains(.rejections), !outcome.isPassed {
      let rejected = RejectedDispatch(
        action: name, payload: payload, by: scratch.dispatchedBy, cause: cause?.revision,
        microseconds: time, revision: revision, outcome: outcome)
      deliver(.rejected(rejected), to: .rejections)
    }
    return outcome
  }

  @inline(__always)
  private func outcome(of name: String, _ payload: Value, _ cause: Cause?) -> Outcome {
    let action: Unmanaged<LoadedAction>
    do throws(Rejection) {
      action = try prepare(name, payload, cause)
    } catch {
      return outcome(ofTimedTransition: name) ?? Outcome(error)
    }
    return action._withUnsafeGuaranteedRef { runStep($0, cause) }
  }

  /// Runs the steps after the check of the payload, and returns the outcome.
  private func runStep(_ action: LoadedAction, _ cause: Cause?) -> Outcome {
    do throws(Rejection) {
      return .passed(try applyTransitions(action, evaluateRules(action, cause), cause: cause))
    } catch {
      return outcome(of: error, action, cause)
    }
  }

  // MARK: State

  package func state() throws(ScriptError) -> Value { try vm.state() }

  // MARK: Failures

  /// Returns `; did you mean NAME?`, or the empty text if no candidate is similar.
  ///
  /// The search is charged to the script that uses the wrong name.
  package func suggestion(for name: String, among candidates: some Collection<String>) -> String {
    let instructionsPerCandidate = 20
    vm.spend(instructionsPerCandidate * candidates.count)
    return Names.suggestion(for: name, among: candidates)
  }

  package func matches(_ text: String, _ pattern: String) throws(ScriptError) -> Bool {
    let matches = try FlowPreludes.function("matches", in: vm)
    return try vm.call(matches, [.string(text), .string(pattern)], phase: .rule, budget: budget)
      .first == .boolean(true)
  }

  func scriptFailure(_ error: ScriptError, action: String) -> DispatchFailure {
    let isLimit = error.kind == .limit || error.kind == .memory
    return DispatchFailure(
      kind: isLimit ? .limit : .script, action: action, message: error.message, script: error)
  }

  /// Runs a part of a dispatch, and turns an error that it throws into a failure of the action.
  func failing<Answer>(
    _ action: String, _ body: () throws(ScriptError) -> Answer
  ) throws(Rejection) -> Answer {
    do throws(ScriptError) {
      return try body()
    } catch {
      throw .failed(scriptFailure(error, action: action))
    }
  }
}
