import FlowLanguage
import LuaRuntime

/// Replays durable effects up to where they were.
extension Engine {
  /// Runs a durable effect again, up to where it was, and resumes it.
  ///
  /// - Parameter isTrial: true to replay only what was recorded: the effect is dropped then instead of resumed.
  /// - Returns: the deviation from the records, with which the effect has ended; nil if there is none.
  @discardableResult
  func runAgain(
    _ stored: EffectRecord, _ effect: Effect, isTrial: Bool = false
  ) throws(ScriptError) -> String? {
    vm.beginUntimed()
    defer { vm.endUntimed() }
    let place = effect.function.place
    guard let instance = scopes[stored.instance], !instance.block.isClosed else {
      throw ScriptError(.runtime, "its scope is closed since the restart", at: place)
    }
    let names = effects.renamed.actions
    var known = stored
    known.rename(names)
    guard let log = try? EffectLog(telling: known.log, isTrial: isTrial),
      case .began(let more)? = log.takeNext()
    else {
      throw ScriptError(.runtime, "its recorded answers cannot be read", at: place)
    }
    if let own = stored.own { scopes.put(own) }
    let own = stored.own?.number ?? stored.instance
    let this = try reference(to: own)
    let commit = stored.commit
    if let secretTexts {
      flow.secrets?.find(in: commit.payload, of: names[commit.action], secretTexts.note)
    }
    try vm.setPayload(commit.payload, shape: payloadShape(of: names[commit.action]))
    let running = RunningEffects.Running(
      number: stored.number, effect: effect, commit: commit, cause: stored.cause,
      during: effects.renamed[stored.state], instance: stored.instance, own: own,
      flowVersion: flowVersion, end: nil)
    log.openTasks = stored.waits.compactMap(\.openTask)
    running.log = log
    var record = record(of: running)
    (record.log, record.attempts) = (known.log, known.attempts)
    caseState.effects[running.number] = record
    log.begin(stored.number)
    run(running) {
      $0.start(
        effect.function.reference, self: this, more: more, receiver: running.receiver,
        budget: budget)
    }
    tellWaits(of: log)
    if log.deviation == nil, let next = log.next, effects[stored.number] != nil {
      let latest = log.latest.map { " after \(text(of: $0))" } ?? ""
      log.deviation = deviation(of: running, "it waits\(latest)", next)
    }
    if endDeviating(running) { return log.deviation }
    if isTrial {
      drop(stored.number)
      return nil
    }
    log.endTelling()
    restoreWaits(stored.waits, of: stored.number)
    for number in effects.tree(stored.number) { waitAnew(number) }
    log.openTasks = []
    return nil
  }

  /// Resumes the waiting functions of a durable effect, in their recorded order.
  private func tellWaits(of log: EffectLog) {
    func running(_ function: Int) -> RunningEffects.Running? {
      log.functions.indices.contains(function) ? effects[log.functions[function]] : nil
    }
    while log.deviation == nil {
      switch log.next {
      case .wentOn(let function, let answer)?:
        guard let running = running(function) else { return }
        _ = log.takeNext()
        tellAgain(running, running.answer(answer))
      case .callFailed(let function, let failure)?:
        guard let running = running(function) else { return }
        _ = log.takeNext()
        running.fail(with: failure)
        tellAgain(running, .failure(TaskError(message: failure.message)))
      case .stubAnswered(let function, let isFine, let values)?:
        guard let running = running(function) else { return }
        _ = log.takeNext()
        let answer: Result<[Value], TaskError> =
          isFine ? .success(values) : .failure(TaskError(raising: values.first ?? .nil))
        tellAgain(running, running.answer(answer))
      default: return
      }
    }
  }

  private func tellAgain(
    _ running: RunningEffects.Running, _ answer: Result<[Value], TaskError>
  ) {
    running.sleeps = nil
    running.postponed = nil
    goOn(running.number, with: answer)
  }

  /// Makes a function wait for its timer or its call from now on.
  func waitAnew(_ number: Int) {
    guard let running = effects[number] else { return }
    if let (due, timer) = running.sleeps {
      running.sleeps = nil
      // A function that was queued when the process ended is queued again.
      if caseState.queue.wakes(number) { return }
      if timer == 0 {
        caseState.queue.add(.wake(number), owner: .nobody)
      } else {
        caseState.wake(number, due: due, timer: timer)
      }
    } else if let postponed = running.postponed {
      running.postponed = nil
      switch postponed {
      case .call(let arguments): makeCall(arguments, of: running)
      case .stub(let call): goOn(number, with: .success(["new", .integer(call)]))
      }
    }
  }

  /// Makes the call that was under way when the process ended.
  private func makeCall(_ arguments: [Value], of running: RunningEffects.Running) {
    let outer = effects.current
    effects.current = running
    running.root.log?.isAnswering = true
    let answer = Result { try callCapability(arguments) }
    running.root.log?.isAnswering = false
    effects.current = outer
    switch answer {
    case .success(.values(let values)): go(on: running.number, with: .success(values))
    case .success(.wait(let request)):
      guard let call = request.last?.integerValue else { return }
      effects.wait(running, for: call)
      startCall(call, by: running)
    case .success(.raise(let value)):
      go(on: running.number, with: .failure(TaskError(raising: value)))
    case .failure(let error):
      let answer: Result<[Value], TaskError> = .failure(TaskError(message: "\(error)"))
      // If the journal has failed, nothing was called: that is no answer.
      if caseWriter?.failure != nil { return goOn(running.number, with: answer) }
      go(on: running.number, with: answer)
    }
  }

  // MARK: Deviating

  /// Sets the deviation of a durable effect that asks for something other than its record, and returns it as a refusal.
  func deviation(_ found: String, _ told: EffectLog.Item) -> ScopeRefusal {
    guard let root = effects.current?.root else { return ScopeRefusal(found) }
    let message = deviation(of: root, found, told)
    root.log?.deviation = message
    return ScopeRefusal(message)
  }

  func deviation(
    of root: RunningEffects.Running, _ found: String, _ told: EffectLog.Item
  ) -> String {
    hidingSecrets(
      in:
        "\(root.title) was changed while it was running: \(found) where \(text(of: told)) is recorded"
    )
  }

  /// Sets the deviation of a durable effect that ends before it has asked for all that is recorded.
  func noteEarlyEnd(of running: RunningEffects.Running, _ progress: TaskProgress) {
    guard let log = running.log, log.deviation == nil, let next = log.next else { return }
    switch progress {
    case .waiting: return
    case .finished: log.deviation = deviation(of: running, "it ends", next)
    case .failed(let error):
      log.deviation = deviation(of: running, "it raises \"\(error.message)\"", next)
    }
  }

  /// Ends a durable effect that has deviated from its records; returns true if it has.
  func endDeviating(_ running: RunningEffects.Running) -> Bool {
    let root = running.root
    guard let log = root.log, let message = log.deviation else { return false }
    if log.isOver { return true }
    log.isOver = true
    if drop(root.number) == nil { noteEnd(of: root) }
    if log.isTrial { return true }
    ended(root, ScriptError(.runtime, message, at: root.effect.function.place))
    return true
  }

  // MARK: Trying

  /// Returns the deviation of each durable effect of a case that cannot be resumed with this version of the flow.
  ///
  /// This engine must have restored the case, and must not be used afterwards.
  package func deviations() -> [String] {
    vm.beginWork(.effect, budget: mostPerChain)
    defer { vm.endWork() }
    return caseState.effects.values.sorted { $0.number < $1.number }.compactMap { stored in
      if stored.log.isEmpty { return nil }
      guard let effect = effect(of: stored) else {
        return "\(stored.title) is running, and the flow no longer has that effect"
      }
      if !effect.isDurable { return "\(stored.title) is running, and is no longer durable" }
      do throws(ScriptError) {
        return try runAgain(stored, effect, isTrial: true)
      } catch {
        return "\(stored.title) cannot resume: \(error.message)"
      }
    }
  }
}
