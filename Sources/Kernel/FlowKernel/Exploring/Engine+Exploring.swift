import LuaRuntime
import StateCharts

/// A possible next move in an explored state.
package enum ExploredMove: Hashable, Sendable {
  /// A dispatch of an action from outside.
  case action(String, Value)
  /// Time passes, up to the next due time.
  case time
  /// The end of the first such effect, which dispatches an action.
  case end(ExploredEffect, String, Value)
}

/// The result of a move without a trace.
package struct ExploredCheck: Sendable {
  package let ending: ExploredRun.Ending
  /// The encoded tree of the next state.
  package let tree: [UInt8]
  /// The canonical form of the next state.
  package let canonical: CanonicalState
  /// The number of outcomes of each draw.
  package let outcomes: [Int]
  package let problem: ExploredProblem?
}

/// Explores: the engine loads any state, makes one move there, and reports what it has read.
extension Engine {
  /// Makes the engine an exploring one, after it has begun.
  ///
  /// - Parameters:
  ///   - traces: true to trace runs; if false, moves can only be checked.
  ///   - silent: the titles of effects that no action follows. They run up to their first wait, and are not recorded as
  ///     under way.
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

  /// The actions and states that all runs so far have reached between explored states.
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

  /// Returns the initial canonical form, and a failure if there is one.
  ///
  /// The initial queue has run then.
  package func beginExploring() -> (canonical: CanonicalState, failure: DispatchFailure?) {
    instrumentation?.begin(draws: [])
    settle()
    let canonical = canonicalState()
    dropEffects()
    return (canonical, instrumentation?.failure)
  }

  /// Makes a move in the current state, without checking invariants, which the explorer checks in the next state.
  ///
  /// - Parameters:
  ///   - draws: the number of the outcome of each random draw.
  ///   - isDivided: true to record reads anew after gates have let the action pass, and to report that point.
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

  /// Makes a move without a trace, and returns the next state.
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

  /// Makes a move without a trace, and returns the next state with each action that ran.
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

  /// Checks an invariant in the current state, without a trace; returns nil if it holds.
  package func checkExplored(invariant number: Int) throws(ScriptError) -> DispatchFailure? {
    vm.resetReaders()
    return failure(of: number, action: "the state")
  }

  /// Returns the current tree as the VM's trace reports it.
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
    // The open scopes, and the instances in which chains run, follow from the keys.
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
    // Current parts of causes may be stale now, and a scope that closes stops what waits in it.
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

  /// Ends an effect under way, and dispatches the action that follows it; returns nil if the effect is not under way.
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
    // A refusal changes nothing but the end of the effect.
    if case .refused = ending {
      instrumentation?.hasRefusedEnd = true
      return .passed
    }
    return ending
  }

  /// Runs the queue after an action.
  ///
  /// Invariants are checked before, too, as after each action in a normal run; those of the state after the move are
  /// checked by the explorer.
  private func settle(after outcome: Outcome, of action: String) -> ExploredRun.Ending {
    if outcome.isPassed, !caseState.queue.isEmpty, let failure = brokenInvariant(action: action) {
      caseState.queue.removeAll()
      return .failed(failure)
    }
    settle()
    return Engine.ending(outcome)
  }

  /// The results of the random draws of the last run, in order.
  package var explorersDraws: [Value] {
    (instrumentation?.notes ?? []).compactMap {
      if case .draw(_, _, let value) = $0.what { value } else { nil }
    }
  }

  /// True if the last run took something from the queue.
  package var explorerRanQueue: Bool { caseState.queue.hasRun }

  /// True if the last run refused the action of an effect's end.
  package var explorerEndWasRefused: Bool { instrumentation?.hasRefusedEnd ?? false }

  /// Stops effects that wait in a scope instance that closes: they count as not finished.
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

  /// Ends the waiting effects, and nothing follows them.
  func dropEffects() {
    for effect in effects.all { drop(effect.number) }
    caseState.queue.removeAll()
  }

  // MARK: Questions

  /// Checks an invariant in the current state, with a trace; returns no failure if it holds.
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

  /// Returns the machines of the state that can affect a move.
  private func machinesAsked(by move: ExploredMove) -> [LoadedMachine] {
    var machines = eventless?.machines.map(\.loaded) ?? []
    switch move {
    // Every session of a document may affect an event, and its states the reason of a refusal.
    case .action where dialect.acceptsAnyEvent: machines = loadedMachines
    case .action(let name, _): machines += self.machines(naming: name)
    case .end(_, let name, _): machines += loadedMachines + self.machines(naming: name)
    case .time: machines = loadedMachines
    }
    // Any other action may run from the queue.
    if caseState.queue.hasRun { machines = loadedMachines }
    return machines
  }

  private func machines(naming name: String) -> [LoadedMachine] {
    guard let action = flow.action(named: name) else { return [] }
    return action.machines.compactMap { index in loadedMachines.first { $0.index == index } }
  }

  /// Returns the records whose machines can affect a move; nil if they do not follow from the payload alone.
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
