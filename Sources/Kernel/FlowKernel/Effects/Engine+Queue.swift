/// Runs the queue and advances the clock.
extension Engine {
  /// Runs the queue until it is empty.
  ///
  /// The clock stands still.
  package func settle() {
    transcribe(.settle)
    if !caseState.queue.isEmpty { runQueue() }
    reportChangedLocals()
  }

  /// Advances time: runs the queue, then fires each timer due, up to and including the end.
  package func advance(_ seconds: Double) {
    advance(microseconds: EngineTime.microseconds(seconds))
  }

  /// Advances time by whole microseconds.
  package func advance(microseconds: Int) {
    let microseconds = min(max(microseconds, 0), EngineTime.last)
    transcribe(.advance(microseconds: microseconds))
    caseState.queue.outsideCame()
    go(until: EngineTime.later(time, by: microseconds))
    reportChangedLocals()
  }

  /// Advances to the time of a real clock, if that has moved on.
  ///
  /// - Parameter endTurn: for a stored case, called after all timers due at one time, which are a turn.
  package func catchUp(to elapsed: Int, endTurn: ((Engine) -> Void)? = nil) {
    if elapsed > time { pass(until: elapsed, endTurn) }
    // While timers fire late, the wall clock of the case is as late as its time.
    if time == elapsed, let caseWriter { caseState.clock.set(wall: caseWriter.wall()) }
  }

  @inline(__always)
  private func pass(until elapsed: Int, _ endTurn: ((Engine) -> Void)?) {
    observers.transcript?.noteAdvance(microseconds: elapsed - time)
    if caseState.timers.isEmpty && caseState.queue.count == 0 {
      pass(to: elapsed)
    } else if let caseWriter {
      goInTurns(until: elapsed, endTurn ?? { _ = caseWriter.endTurn($0) })
    } else {
      go(until: elapsed)
    }
  }

  private func goInTurns(until end: Int, _ endTurn: (Engine) -> Void) {
    var repeated = 0
    while let due = caseState.timers.nextDue, due <= end {
      forNobody { fire(until: max(due, time), of: end, &repeated) }
      endTurn(self)
      // If the VM had to end, the due timers stay set.
      guard time >= due, caseState.timers.nextDue != due else { return }
    }
    forNobody { fire(until: end, of: end, &repeated) }
  }

  /// Fires timers for nobody: they were set by someone other than the caller who advances time.
  private func go(until end: Int) {
    var repeated = 0
    forNobody { fire(until: end, of: end, &repeated) }
  }

  /// Runs the queue and fires the timers due.
  ///
  /// - Parameters:
  ///   - last: the time up to which the clock advances; this call may cover a part of the way.
  ///   - repeated: the number of times that repeating timers have fired on the way there.
  private func fire(until end: Int, of last: Int, _ repeated: inout Int) {
    vm.beginWork(.effect, budget: 0)
    defer { vm.endWork() }
    runQueue()
    while !vm.mustEnd, let due = caseState.timers.nextDue, due <= end,
      let timer = caseState.takeNextTimer()
    {
      pass(to: timer.due)
      enqueue(timer, until: last, isLate: repeated + 1 >= limits.chain)
      if timer.every != nil { repeated += 1 }
      runQueue()
      caseState.condense()
    }
    if !vm.mustEnd { pass(to: end) }
  }

  private func pass(to moment: Int) {
    if moment <= time { return }
    caseState.queue.timePassed(
      microseconds: moment - time, most: (limits.chain, mostPerChain, limits.retained),
      used: vm.instructionsUsed)
    caseState.clock.pass(to: moment)
  }

  /// Queues the event of a timer, and sets the timer again if it repeats.
  private func enqueue(_ timer: PendingTimer, until last: Int, isLate: Bool) {
    if let every = timer.every { setAgain(timer, in: every, until: last, isLate: isLate) }
    var source: ActiveState?
    if case .stateEffect(let active) = timer.owner { source = active }
    caseState.queue.add(timer.event, owner: timer.owner, repeats: timer.every != nil, from: source)
  }

  package func runQueue() {
    while !vm.mustEnd, let item = caseState.queue.takeFirst() {
      caseState.queue.ran(name(of: item.event), instructions: vm.instructionsUsed)
      if let excess = chainExcess { return endChain(excess, at: item.event) }
      switch item.event {
      case .wake(let effect): go(on: effect, with: .success([]))
      case .begin(let active): begin(active)
      case .action(let queued):
        if let stale = item.stale {
          refuse(queued, from: stale.state, leftAt: stale.since)
        } else if case .state(let active) = item.owner {
          run(queued, of: active, repeats: item.repeats)
        } else {
          if let source = item.source { scratch.source = source }
          if let by = queued.by { scratch.dispatchedBy = by }
          run(queued)
          if item.source != nil { scratch.source = nil }
          if queued.by != nil { scratch.dispatchedBy = nil }
        }
      }
    }
  }

  private func name(of event: PendingTimer.Event) -> String {
    switch event {
    case .wake(let effect): effects[effect]?.title ?? "an effect"
    case .begin(let active): effect(of: active)?.title ?? "an effect"
    case .action(let queued): queued.name
    }
  }

  /// Stops every effect that waits, and drops queued and scheduled actions.
  ///
  /// If there is a reason, each is reported with it.
  package func stopEverything(because reason: String?) {
    vm.beginWork(.effect, budget: mostPerChain)
    defer { vm.endWork() }
    if let reason {
      for queued in caseState.queue.actions { drop(queued, "queued", because: reason) }
      for timer in caseState.timers.pending {
        if let action = timer.action { drop(action, "set", because: reason) }
      }
    }
    caseState.queue.removeAll()
    caseState.stopTimers { _ in true }
    for effect in effects.all {
      if let reason { takeBack(effect.number, because: reason) } else { drop(effect.number) }
    }
    // Removes actions that the effects scheduled while they were closed.
    caseState.queue.removeAll()
    caseState.stopTimers { _ in true }
  }

  /// Reports that an action will not be dispatched.
  func drop(_ action: QueuedAction, _ how: String, because reason: String) {
    report(.dropped("\(action.name), \(how) by #\(action.cause.revision),", reason))
  }

  @inline(__always)
  private func run(_ queued: QueuedAction) {
    tell(dispatch(queued.name, queued.payload, cause: queued.cause), of: queued, spent: nil)
  }

  /// Reports the rejection of a queued action, and the refused timer of a state, if any.
  @inline(__always)
  func tell(_ outcome: Outcome, of queued: QueuedAction, spent: String?) {
    if case .passed(let commit) = outcome { return caseState.queue.committed(commit.size) }
    scratch.payloadFromQueue = queued.payload
    switch outcome {
    case .passed: break
    case .refused where flow.document != nil && queued.payload[EventPart.forwarded] == true: break
    case .refused(let refusal): report(.queuedRefused(refusal, spent: spent))
    case .failed(let failure): report(.queuedFailed(failure))
    }
  }

  /// The limit that a chain of queued actions without a dispatch from outside has exceeded, as the beginning of a
  /// sentence; nil if none.
  private var chainExcess: String? {
    if caseState.queue.chainLength > limits.chain {
      return "\(limits.chain) actions ran from the queue"
    }
    if caseState.queue.chainBytes > limits.retained {
      return
        "actions from the queue made commits of more than \(limits.retained) bytes together"
    }
    let most = mostPerChain
    let used = caseState.queue.chainInstructions(of: vm.instructionsUsed)
    if used <= most { return nil }
    return "actions from the queue used more than \(most) instructions together"
  }

  var mostPerChain: Int { max(limits.instructionsPerChain, limits.instructionsPerDispatch) }

  /// Ends a chain that exceeds a limit: drops the queue, and the timers due now, each of which could start another
  /// chain.
  private func endChain(_ excess: String, at event: PendingTimer.Event) {
    let name = caseState.queue.mostFrequent ?? ""
    while let due = caseState.timers.nextDue, due <= time, let timer = caseState.takeNextTimer() {
      enqueue(timer, until: time, isLate: false)
    }
    var waking = caseState.queue.waking
    if case .wake(let effect) = event { waking.insert(effect, at: 0) }
    var beginning = caseState.queue.beginning
    if case .begin(let state) = event { beginning.insert(state, at: 0) }
    let dropped = caseState.queue.count
    caseState.queue.removeAll()
    for state in beginning { caseState.end(state) }
    for effect in waking { if let whole = effects[effect]?.root { drop(whole.number) } }
    report(
      .queuedFailed(
        DispatchFailure(
          kind: .limit, action: name,
          message: "\(excess) without a dispatch from outside within a second, most "
            + "often \(name); \(dropped) more were dropped"
        )))
  }

  /// Queues an action now, or sets a timer for it.
  ///
  /// Returns the number by which it can be cancelled.
  @discardableResult
  func add(
    _ action: QueuedAction, in seconds: Double, owner: PendingTimer.Owner,
    from source: ActiveState? = nil
  ) -> Int {
    let delay = EngineTime.microseconds(seconds)
    if delay == 0 { return caseState.queue.add(.action(action), owner: owner, from: source) }
    return caseState.set(action, due: EngineTime.later(time, by: delay), owner: owner)
  }
}
