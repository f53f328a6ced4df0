import LuaRuntime
import StateCharts

/// What can happen next to a state that is explored.
package enum ExploredMove: Hashable, Sendable {
  /// Somebody outside dispatches an action.
  case action(String, Value)
  /// Time passes, up to the next due time.
  case time
  /// The first effect like that ends, and dispatches this.
  case end(ExploredEffect, String, Value)
}

/// What a move did to a state, and what it has looked at for that.
package struct ExploredRun: Sendable {
  package enum Ending: Sendable {
    case passed
    case refused(Refusal)
    case failed(DispatchFailure)
    /// There is nothing for the move to do: no timer is pending, no such effect is under way.
    case idle
  }

  /// What was noted besides what the VM tells, when it had told so many bytes.
  package struct Note: Sendable {
    package enum Content: Sendable {
      case part(CanonicalState.Part)
      case draw(among: Int, gave: Int, Value)
    }

    package let offset: Int
    package let what: Content
  }

  /// Where gates had let the action pass: how much of the trace was told by then, and which ways machines were to take.
  package struct Admission: Sendable {
    package let offset: Int
    package let plan: String
  }

  /// A record whose machine was asked: the keys to it, and the fields that say where it stands.
  package struct RecordLook: Sendable {
    package let path: [Value]
    package let fields: [String]
  }

  package let ending: Ending
  package let trace: TracedRun
  /// What was looked at besides the tree, and what chance gave.
  package let notes: [Note]
  package let canonical: CanonicalState
  /// Fields of machines whose values had a say.
  package let fields: Set<String>
  /// Machines of which what history remembers had a say.
  package let memories: Set<String>
  /// The records whose machines had a say; nil where all may have had one.
  package let records: [RecordLook]?
  package let problem: ExploredProblem?
  /// What a run has that was to be divided there; nil where nothing was admitted.
  package let admission: Admission?
}

/// A move that was made without a trace: the state that it leads to.
package struct ExploredCheck: Sendable {
  package let ending: ExploredRun.Ending
  /// The tree, encoded.
  package let tree: [UInt8]
  /// The canonical form of the state that it leads to.
  package let canonical: CanonicalState
  /// How many outcomes each draw had.
  package let outcomes: [Int]
  package let problem: ExploredProblem?
}

/// Exploring: an engine that stands in whatever state it is told to, makes one move there, and tells what it has
/// looked at.
extension Engine {
  /// Makes the engine one that explores, once it has begun.
  ///
  /// - Parameters:
  ///   - traces: whether runs are to be traced; else moves can only be checked.
  ///   - silent: the titles of effects that nothing follows on. They run up to their first wait, and nobody notes that
  ///     they are under way then.
  package func startExploring(
    traces: Bool = true, silent: Set<String> = []
  ) throws(ScriptError) {
    if traces { try vm.openTrace() }
    history = History(limit: 0, at: revision, time: time)
    let instrumentation = RunInstrumentation(
      vm, recordsReads: traces, silent: silent,
      timers: StateTimerTable(flow.machines, upTo: settings.exploredClock.upTo))
    self.instrumentation = instrumentation
    instrumentation.recordVisits(latestSteps)
    report = { [weak self] in self?.hear($0) }
    observers.commitHandler = { [weak instrumentation, unowned self] commit in
      if commit.cause != nil { instrumentation?.passedFromQueue.insert(commit.action) }
      instrumentation?.steps?.append(
        ExploredStep(
          outcome: .passed(commit), machineSteps: scratch.latestSteps,
          isFromQueue: commit.cause != nil))
    }
  }

  /// The reach of all runs so far between states.
  package var transientReach: TransientReach {
    guard let instrumentation else { return TransientReach() }
    var reach = TransientReach(actions: instrumentation.passedFromQueue)
    for (index, states) in instrumentation.visited where flow.machines.indices.contains(index) {
      let machine = flow.machines[index]
      for state in states {
        reach.states.insert("\(machine.name).\(machine.chart.states[Int(state)].path)")
      }
    }
    return reach
  }

  private func hear(_ report: Report) {
    guard let instrumentation else { return }
    switch report {
    case .queuedRefused(let refusal, _):
      instrumentation.steps?.append(
        ExploredStep(outcome: .refused(refusal), machineSteps: [], isFromQueue: true))
    case .queuedFailed(let failure):
      if instrumentation.failure == nil { instrumentation.failure = failure }
    case .effect(let title, let error), .handled(let title, let error, _, isFault: true):
      if instrumentation.failure == nil {
        instrumentation.failure = DispatchFailure(
          kind: .script, action: title, message: "\(title) did not finish: \(error.message)",
          script: error)
      }
    case .local(let fault): instrumentation.note(.local("\(fault)"))
    default: break
    }
  }

  /// What belongs to the state besides its tree, as the flow begins.
  ///
  /// What was queued at the beginning has run then.
  package func beginExploring() -> (canonical: CanonicalState, failure: DispatchFailure?) {
    instrumentation?.begin(draws: [])
    settle()
    let canonical = canonicalState()
    dropEffects()
    return (canonical, instrumentation?.failure)
  }

  /// Makes a move in the state in which the engine stands, without invariants: who explores asks them of the
  /// state that it leads to.
  ///
  /// - Parameters:
  ///   - draws: what chance gives, an outcome of each draw.
  ///   - isDivided: whether what follows on gates looks at views anew, and where it begins is told.
  ///   - reportsContinuations: true if the trace has the continuation of each event.
  package func explore(
    _ move: ExploredMove, draws: [Int], isDivided: Bool = false, reportsContinuations: Bool = false
  ) throws(ScriptError) -> ExploredRun {
    let before = try vm.beginTrace(reportsContinuations: reportsContinuations)
    instrumentation?.divides = isDivided
    let (ending, problem) = play(move, draws: draws)
    instrumentation?.divides = false
    let canonical = canonicalState()
    let trace = try vm.endTrace(before: before)
    dropEffects()
    return ExploredRun(
      ending: ending, trace: trace, notes: instrumentation?.notes ?? [], canonical: canonical,
      fields: Set(machinesAsked(by: move).flatMap { $0.chart.chart.regions.compactMap(\.field) }),
      memories: Set(machinesAsked(by: move).filter { !$0.historyStates.isEmpty }.map(\.name)),
      records: recordsAsked(by: move), problem: problem, admission: instrumentation?.admission)
  }

  /// Makes a move without a trace: what it leads to, encoded, and what belongs to it besides.
  package func check(
    _ move: ExploredMove, draws: [Int]
  ) throws(ScriptError) -> ExploredCheck {
    let (ending, problem) = play(move, draws: draws)
    let canonical = canonicalState()
    dropEffects()
    return ExploredCheck(
      ending: ending, tree: try vm.stateBytes(after: []), canonical: canonical,
      outcomes: instrumentation?.outcomes ?? [], problem: problem)
  }

  /// The same, with each action that the move has come to.
  package func tell(_ move: ExploredMove, draws: [Int]) throws(ScriptError) -> ExploredTelling {
    let recordedMicrosteps = observers.recordsMicrosteps
    observers.recordsMicrosteps = true
    instrumentation?.steps = []
    defer {
      observers.recordsMicrosteps = recordedMicrosteps
      instrumentation?.steps = nil
    }
    let run = try check(move, draws: draws)
    var steps = instrumentation?.steps ?? []
    if case .refused(let refusal) = run.ending {
      let step = ExploredStep(outcome: .refused(refusal), machineSteps: [], isFromQueue: false)
      steps.insert(step, at: 0)
    }
    return ExploredTelling(
      ending: run.ending, steps: steps, tree: run.tree, canonical: run.canonical,
      endWasRefused: explorerEndWasRefused, ranQueue: explorerRanQueue, outcomes: run.outcomes,
      problem: run.problem)
  }

  /// Asks an invariant of the state in which the engine stands, without a trace; nil: it holds.
  package func checkExplored(invariant number: Int) throws(ScriptError) -> DispatchFailure? {
    vm.resetReaders()
    return failure(of: number, action: "the state")
  }

  /// The tree as it stands, as a trace tells it.
  package func exploredTree() throws(ScriptError) -> [UInt8] {
    let before = try vm.beginTrace()
    _ = try vm.endTrace(before: before)
    return before
  }

  private func play(
    _ move: ExploredMove, draws: [Int]
  ) -> (ExploredRun.Ending, ExploredProblem?) {
    guard let instrumentation else { return (.idle, nil) }
    instrumentation.begin(draws: draws)
    hasReadClock = false
    caseState.queue.outsideCame()
    vm.resetReaders()
    // Which scopes are open, and in which opening chains are at work, follows from the keys.
    vm.beginWork(.dispatch, budget: mostPerChain)
    if flow.scopes.count > 1 { _ = try? workOutKeys() }
    vm.endWork()
    let (scopeInstances, passages) = (caseState.scopeInstances, caseState.passages)
    var ending = ExploredRun.Ending.idle
    switch move {
    case .action(let name, let payload): ending = settle(after: dispatch(name, payload), of: name)
    case .time:
      instrumentation.recordReadOfTimers()
      if settings.exploredClock.upTo != nil { instrumentation.recordRead(of: .time) }
      let due = caseState.timers.nextDue.map { $0 - time }
      if let delay = settings.exploredClock.delay(
        at: settings.exploredClock.upTo == nil ? 0 : time, due: due)
      {
        ending = .passed
        advance(microseconds: delay)
      }
    case .end(let effect, let action, let payload):
      instrumentation.recordRead(of: .effects)
      if let ended = end(effect, action, payload) { ending = ended }
    }
    if let failure = instrumentation.failure { ending = .failed(failure) }
    // What was current in chains of causes may be stale now, and scopes that close stop what waits in them.
    if caseState.scopeInstances != scopeInstances
      || flow.gatekeepers.contains(where: { caseState.passages.differ(from: passages, of: $0.name) }
      )
    {
      instrumentation.recordReadOfTimers()
      instrumentation.recordRead(of: .effects)
    }
    return (ending, explorersProblem)
  }

  private static func ending(_ outcome: Outcome) -> ExploredRun.Ending {
    switch outcome {
    case .passed: .passed
    case .refused(let refusal): .refused(refusal)
    case .failed(let failure): .failed(failure)
    }
  }

  /// An effect that is under way ends, and an action follows on it; nil where it is not.
  private func end(
    _ effect: ExploredEffect, _ action: String, _ payload: Value
  ) -> ExploredRun.Ending? {
    let numbering = CanonicalNumbering(of: caseState, in: flow)
    let waiting = caseState.effects.values.sorted { $0.number < $1.number }
    guard let ended = waiting.first(where: { numbering($0, in: flow) == effect }) else {
      return nil
    }
    caseState.effects[ended.number] = nil
    if let state = effect.state { caseState.end(state) }
    guard !action.isEmpty else { return .passed }
    scratch.source = effect.state
    let outcome = dispatch(action, payload, cause: ended.cause)
    scratch.source = nil
    let ending = settle(after: outcome, of: action)
    // A refusal changes nothing but that the effect has ended.
    if case .refused = ending {
      instrumentation?.hasRefusedEnd = true
      return .passed
    }
    return ending
  }

  /// Plays what an action has queued.
  ///
  /// Invariants hold before that, too, as they are asked after each action when the flow runs; of the state that a
  /// move leads to, whoever explores asks them.
  private func settle(after outcome: Outcome, of action: String) -> ExploredRun.Ending {
    if outcome.isPassed, !caseState.queue.isEmpty, let failure = brokenInvariant(action: action) {
      caseState.queue.removeAll()
      return .failed(failure)
    }
    settle()
    return Engine.ending(outcome)
  }

  /// What the draws of chance gave in the last run, in order.
  package var explorersDraws: [Value] {
    (instrumentation?.notes ?? []).compactMap {
      if case .draw(_, _, let value) = $0.what { value } else { nil }
    }
  }

  /// Whether something has come from the queue in the last run.
  package var explorerRanQueue: Bool { caseState.queue.hasRun }

  /// Whether what an effect ended with was refused in the last run.
  package var explorerEndWasRefused: Bool { instrumentation?.hasRefusedEnd ?? false }

  /// Stops what waits in an opening that closes: it did not finish.
  func stopExplored(waitingIn instance: Int, because reason: String) {
    let waiting = caseState.effects.values.filter {
      $0.instance == instance && effects[$0.number] == nil
    }
    for waiting in waiting.sorted(by: { $0.number < $1.number }) {
      caseState.effects[waiting.number] = nil
      instrumentation?.recordRead(of: .effects)
      guard let effect = effect(of: waiting), effect.onError != nil else { continue }
      ended(
        effect, of: waiting.commit, waiting.cause,
        ScriptError(.runtime, reason, at: effect.function.place))
    }
  }

  /// Ends the effects that wait, and nothing follows on it.
  func dropEffects() {
    for effect in effects.all { drop(effect.number) }
    caseState.queue.removeAll()
  }

  // MARK: Questions

  /// Asks an invariant of the state in which the engine stands; nil: it holds.
  package func explore(
    invariant number: Int, reportsContinuations: Bool
  ) throws(ScriptError) -> (
    broken: DispatchFailure?, trace: TracedRun, notes: [ExploredRun.Note]
  ) {
    guard let instrumentation else {
      throw ScriptError(kind: .runtime, message: "this engine does not explore")
    }
    instrumentation.begin(draws: [])
    hasReadClock = false
    vm.resetReaders()
    let before = try vm.beginTrace(reportsContinuations: reportsContinuations)
    let broken = failure(of: number, action: "the state")
    let trace = try vm.endTrace(before: before)
    return (broken, trace, instrumentation.notes)
  }

  // MARK: Machines

  /// The machines of the state that have a say in a move.
  private func machinesAsked(by move: ExploredMove) -> [LoadedMachine] {
    var machines = eventless?.machines.map(\.loaded) ?? []
    switch move {
    // Every session of a document may have a say in an event, and its states in why it is refused.
    case .action where dialect.acceptsAnyEvent: machines = loadedMachines
    case .action(let name, _): machines += self.machines(naming: name)
    case .end(_, let name, _): machines += loadedMachines + self.machines(naming: name)
    case .time: machines = loadedMachines
    }
    // What runs from the queue may be any other action.
    if caseState.queue.hasRun { machines = loadedMachines }
    return machines
  }

  private func machines(naming name: String) -> [LoadedMachine] {
    guard let action = flow.action(named: name) else { return [] }
    return action.machines.compactMap { index in loadedMachines.first { $0.index == index } }
  }

  /// The records whose machines have a say in a move; nil where which ones follows from more than the payload.
  private func recordsAsked(by move: ExploredMove) -> [ExploredRun.RecordLook]? {
    if recordMachines.isEmpty { return [] }
    guard case .action(let name, let payload) = move, let action = flow.action(named: name),
      !caseState.queue.hasRun, eventless?.records.isEmpty ?? true
    else { return nil }
    var looks: [ExploredRun.RecordLook] = []
    for machine in recordMachines.values where action.machines.contains(machine.index) {
      guard let records = machine.records, let path = records.path(named: payload, by: action)
      else { return nil }
      looks.append(
        .init(path: path, fields: machine.chart.chart.regions.compactMap(\.field)))
    }
    return looks
  }
}
