import FlowLanguage
import LuaRuntime

/// Starts, resumes and ends effects: step 8.
extension Engine {
  /// Starts the effects of a commit in the order of declaration, each up to its first wait.
  func startEffects(
    of action: LoadedAction, _ commit: Commit, _ cause: Cause, _ owner: Int?
  ) {
    let root = scopes.current[0] ?? 1
    for index in action.effects {
      let effect = flow.effects[index]
      if !caseState.upcomingEffects.isEmpty { caseState.upcomingEffects.removeFirst() }
      start(effect, in: effect.isShared ? root : owner ?? root, commit, cause)
    }
  }

  /// Starts an effect, of an action or of a state, up to its first wait.
  package func start(
    _ effect: Effect, in instance: Int, _ commit: Commit, _ cause: Cause,
    during state: ActiveState? = nil
  ) {
    do throws(ScriptError) {
      guard effects.count < limits.effects else {
        throw ScriptError(
          .limit, "\(limits.effects) effects are waiting already", at: effect.function.place)
      }
      guard reserve(for: commit.size) else {
        throw ScriptError(
          .limit, excess("the transition that it follows on"), at: effect.function.place)
      }
      let own = try reference(to: instance)
      let more = try arguments(of: effect, commit, during: state)
      let running = RunningEffects.Running(
        number: caseState.nextEffectNumber(), effect: effect, commit: commit, cause: cause,
        during: state, instance: nearestOpenInstance(from: instance), own: instance,
        flowVersion: flowVersion, end: effects.end)
      caseState.effects[running.number] = record(of: running)
      beginLog(of: running, given: more)
      run(running) {
        $0.start(
          effect.function.reference, self: own, more: more, receiver: running.receiver,
          budget: budget)
      }
    } catch {
      if let state { caseState.end(state) }
      ended(effect, of: commit, cause, error, during: state)
    }
  }

  /// Returns the arguments of an effect besides its instance and the payload.
  ///
  /// An effect of a record's state gets a copy of the record and its keys. Each effect gets the commit, if its function
  /// has a parameter for it.
  private func arguments(
    of effect: Effect, _ commit: Commit, during state: ActiveState?
  ) throws(ScriptError) -> [Value] {
    var more: [Value] = []
    if let state, let path = find(state)?.machine.records?.path(to: state.keys) {
      more = [try value(at: path)] + state.keys
    }
    if effect.function.parameters >= 3 + more.count {
      more.append(commit.value(machines: flow.machines))
    }
    return more
  }

  /// Returns the instance in which an effect waits: its own, or the nearest open one around it if its action has closed
  /// that.
  private func nearestOpenInstance(from instance: Int) -> Int {
    var at = instance
    while let here = scopes[at], here.block.isClosed, let parent = here.parent { at = parent }
    return at
  }

  /// Runs an effect, and the steps that follow if its functions run concurrently.
  func run(
    _ running: RunningEffects.Running, _ body: (LuaVM) -> (LuaTask, TaskProgress)
  ) {
    step(running, body)
    while let next = effects.steps.popLast() { take(next) }
    effects.releaseUnusedVersions()
  }

  func step(_ running: RunningEffects.Running, _ body: (LuaVM) -> (LuaTask, TaskProgress)) {
    let outer = effects.current
    effects.current = running
    let (task, progress) = body(running.flowVersion.vm)
    effects.current = outer
    took(progress, task, running)
  }

  /// Resumes an effect that waited.
  package func go(on number: Int, with answer: Result<[Value], TaskError>) {
    if let running = effects[number] { recordResumption(of: running, answer) }
    goOn(number, with: answer)
  }

  /// Resumes an effect that waited, without a record of it for a journal.
  package func goOn(_ number: Int, with answer: Result<[Value], TaskError>) {
    guard let running = effects.take(number), let task = running.task else { return }
    running.call = nil
    endWait(of: running)
    self.vm.beginWork(.effect, budget: budget)
    defer { self.vm.endWork() }
    run(running) {
      (task, $0.resume(task, receiver: running.receiver, with: answer, budget: budget))
    }
  }

  private func took(_ progress: TaskProgress, _ task: LuaTask, _ running: RunningEffects.Running) {
    noteEarlyEnd(of: running, progress)
    if let log = running.root.log, log.deviation != nil || log.isTrial && log.next == nil {
      if case .waiting = progress {
        running.task = task
        effects.wait(running)
      }
      closeUnlocked(by: running)
      _ = endDeviating(running)
      return
    }
    switch progress {
    case .finished(let result, let maps):
      closeUnlocked(by: running)
      if let branch = running.branch {
        endWait(of: running)
        return ended(branch)
      }
      noteEnd(of: running)
      finished(running, result, maps)
    case .failed(let error):
      closeUnlocked(by: running)
      failed(running, error)
    case .waiting(let request):
      running.task = task
      endWait(of: running)
      effects.wait(running)
      if running.branch == nil {
        caseState.effects[running.number]?.own = closedScopeInstance(running.own)
        deliver(.effectWaits(running.number), to: .effects)
      }
      if running.branch?.joinGroup.isOver == true {
        drop(running.number)
      } else {
        wait(running, for: request)
      }
    }
  }

  /// Passes the error of a function to the code that waits for it; a limit ends the whole effect.
  private func failed(_ running: RunningEffects.Running, _ error: ScriptError) {
    var error = error
    if let inner = running.functionError, inner.message == error.message {
      error.traceback = inner.traceback + error.traceback
    }
    if let branch = running.branch {
      endWait(of: running)
      if error.kind == .runtime, !branch.joinGroup.isOver {
        return ended(branch, with: error)
      }
      guard drop(running.root.number) != nil else {
        return report(.effect(title: running.title, error))
      }
    }
    noteEnd(of: running)
    ended(running, error, isFault: !error.isRaised)
  }

  /// Reports that an effect under way did not finish, and dispatches its `on_error`.
  func ended(_ running: RunningEffects.Running, _ error: ScriptError, isFault: Bool = false) {
    ended(
      running.effect, of: running.commit, running.cause, error, during: running.state,
      running.flowVersion.actions, isFault: isFault, number: running.root.number,
      attempts: running.root.attempts)
  }

  private func wait(_ running: RunningEffects.Running, for request: [Value]) {
    if isHeld(running) { return }
    switch request.first?.stringValue {
    case "sleep":
      let delay = EngineTime.microseconds(request.last?.doubleValue ?? 0)
      let end = EngineTime.later(time, by: delay)
      guard let due = sleep(running, for: delay, until: end) else { return }
      recordWait(
        running,
        for: running.position.isBetweenAttempts
          ? .retry(until: .microseconds(due)) : .sleep(until: .microseconds(due)))
      if due <= time {
        caseState.queue.add(.wake(running.number), owner: .nobody)
      } else {
        caseState.wake(running.number, due: due)
      }
    case "all", "race":
      gather(
        running, isRace: request.first == "race", count: request.last?.integerValue ?? 0)
    default:
      guard let call = request.last?.integerValue else { return }
      recordWait(running, for: .capability(calls.prepared?.capability ?? "a capability"))
      effects.wait(running, for: call)
      startCall(call, by: running)
    }
  }

  /// The cost of a failed effect, or of failed content of a document, in instructions: the error is traced and
  /// formatted.
  static let instructionsPerFailure = 1_000

  /// Handles an effect that did not finish: dispatches `on_error`, with the effect's own commit as cause.
  ///
  /// The payload has the error, and those fields of the effect's own payload that the action declares.
  ///
  /// - Parameters:
  ///   - names: the current names of the actions of the effect's flow version.
  ///   - isFault: true if the script itself is wrong, which the flow handles only if it says so.
  ///   - attempts: the attempts that failed before.
  package func ended(
    _ effect: Effect, of commit: Commit, _ cause: Cause, _ error: ScriptError,
    during state: ActiveState? = nil, _ names: ActionNames = ActionNames(), isFault: Bool = false,
    number: Int = 0, attempts: [EffectAttempt] = []
  ) {
    vm.spend(Engine.instructionsPerFailure)
    let title = effect.title(during: state)
    let handler = !isFault || effect.handlesFaults ? effect.onError.map { names[$0] } : nil
    let action = handler.flatMap { flow.action(named: $0) }
    recordFailure(
      title, of: commit, cause, "\(error)", isFault: isFault, handler: action?.name,
      number: number, attempts: attempts)
    guard let name = handler, let action else { return report(.effect(title: title, error)) }
    var given = commit.payload.recordValue ?? [:]
    given["error"] = .string(error.message)
    let taken = Set(action.payload.fieldNames)
    report(.handled(title: title, error, by: name, isFault: isFault))
    do {
      let payload = given.merging(keys(of: state)) { _, key in key }
      try follow(name, .record(payload.filter { taken.contains($0.key) }), cause, state)
    } catch {
      if case .failed(let failure) = error { report(.queuedFailed(failure)) }
    }
  }

  /// Dispatches `on_done` with the effect's result; the cause is the effect's own commit.
  private func finished(
    _ running: RunningEffects.Running, _ result: Value, _ unnamedMaps: [[ValueKey]]
  ) {
    guard let onDone = running.effect.onDone else { return }
    let name = running.flowVersion.actions[onDone]
    do {
      try requireMaps(at: unnamedMaps, inPayloadOf: name)
      try requireReserve(for: result.size, of: name)
      let payload = naming(running.state, in: result == .nil ? [:] : result, of: name)
      try follow(name, payload, running.cause, running.state)
    } catch {
      var message = "\(error)"
      if case Rejection.failed(let failure) = error { message = failure.message }
      ended(
        running, ScriptError(.runtime, "on_done: \(message)", at: running.effect.function.place),
        isFault: true)
    }
  }

  /// Returns the payload fields that identify the record of a state, by its keys.
  private func keys(of state: ActiveState?) -> [String: Value] {
    let records = state.flatMap { find($0)?.machine.records }
    return records?.payload(state?.keys ?? []).recordValue ?? [:]
  }

  /// Returns the result of an effect; if it names no record, the keys of the effect's own record are added.
  private func naming(_ state: ActiveState?, in result: Value, of name: String) -> Value {
    guard let fields = result.recordValue, let action = flow.action(named: name) else {
      return result
    }
    let keys = keys(of: state).filter { action.payload.type(ofField: $0.key) != nil }
    return keys.isEmpty ? result : .record(keys.merging(fields) { _, own in own })
  }

  /// Queues an action that follows an effect.
  private func follow(
    _ name: String, _ payload: Value, _ cause: Cause, _ state: ActiveState?
  ) throws(Rejection) {
    let checked = try check(name, payload)
    caseState.queue.add(
      .action(QueuedAction(name: name, payload: checked ?? [:], cause: cause)), owner: .nobody,
      from: state)
  }

  /// Ends an effect that waits, or a function of one, together with the functions for which it waits.
  ///
  /// Runs the closing code of each. The reason is reported for calls that are still under way. Returns the effect, or
  /// nil if it does not wait.
  @discardableResult
  func drop(
    _ number: Int, because reason: String = "the effect was stopped"
  ) -> RunningEffects.Running? {
    var dropped: RunningEffects.Running?
    for each in effects.tree(number) { dropped = dropAlone(each, because: reason) }
    effects.releaseUnusedVersions()
    return dropped
  }

  private func dropAlone(_ number: Int, because reason: String) -> RunningEffects.Running? {
    guard let running = effects.take(number), let task = running.task else { return nil }
    running.joinGroup?.isOver = true
    if let call = running.call { calls.pending.cancel(call, because: reason) }
    stopTimers(ownedBy: .effect(number))
    caseState.queue.remove(waking: number)
    let outer = effects.current
    effects.current = running
    running.flowVersion.vm.close(task, budget: budget)
    effects.current = outer
    closeUnlocked(by: running)
    endWait(of: running)
    noteEnd(of: running)
    return running
  }

  /// Stops an effect that waits: it counts as not finished, and `on_error` follows if it has one.
  package func stop(_ number: Int, because reason: String) {
    guard let running = drop(number, because: reason), running.effect.onError != nil else { return }
    ended(running, ScriptError(.runtime, reason, at: running.effect.function.place))
  }

  /// Stops an effect that waits and that never began in the current history; nothing follows it but a report.
  func takeBack(_ number: Int, because reason: String) {
    guard let running = drop(number, because: reason) else { return }
    report(.stopped(title: running.title, revision: running.cause.revision, reason))
  }
}
