import LuaRuntime

/// The queue and the clock: what runs when.
extension Engine {
  /// Runs the queue dry.
  ///
  /// The clock stands still.
  package func settle() {
    transcript?.entries.append(.settle)
    if !queue.isEmpty { runQueue() }
    if findsChangedLocals { reportChangedLocals() }
  }

  /// Lets time pass: settles, then goes from due time to due time up to and including the last.
  package func advance(_ seconds: Double) {
    transcript?.entries.append(.advance(seconds))
    go(until: EngineTime.later(time, by: EngineTime.microseconds(seconds)))
    reportChangedLocals()
  }

  /// Lets a real clock's time pass, if it has moved on at all.
  package func catchUp(to elapsed: Int) {
    guard elapsed > time else { return }
    transcript?.noteAdvance(EngineTime.seconds(elapsed - time))
    if timers.next == nil && queue.count == 0 { time = elapsed } else { go(until: elapsed) }
  }

  private func go(until end: Int) {
    queue.outsideCame()
    runQueue()
    while let timer = timers.next, timer.due <= end {
      _ = timers.takeFirst()
      if timer.due > time {
        time = timer.due
        queue.outsideCame()
      }
      queue.add(timer.event, owner: .nobody)
      runQueue()
    }
    time = max(time, end)
  }

  func runQueue() {
    while let item = queue.takeFirst() {
      queue.ran(name(of: item.event), instructions: vm.instructionsUsed)
      if let excess = stormExcess { return endStorm(excess, at: item.event) }
      switch item.event {
      case .wake(let task): go(on: task, with: .success([]))
      case .action(let queued): run(queued)
      }
    }
  }

  private func name(of event: Timers.Event) -> String {
    switch event {
    case .wake(let task): effects[task]?.effect.title ?? "an effect"
    case .action(let queued): queued.name
    }
  }

  /// Stops every effect that waits and drops what is queued and scheduled.
  func stopEverything() {
    queue.removeAll()
    timers = Timers()
    for task in effects.all { drop(task) }
  }

  private func run(_ queued: QueuedAction) {
    switch offer(queued.name, queued.payload, cause: queued.cause) {
    case .passed: break
    case .refused(let refusal): report(.queuedRefused(refusal))
    case .failed(let failure): report(.queuedFailed(failure))
    }
  }

  /// What is too much about what has run without a dispatch from outside, as the beginning of a
  /// sentence.
  private var stormExcess: String? {
    if queue.stormCount > limits.chain { return "\(limits.chain) actions ran from the queue" }
    let most = max(limits.instructionsPerChain, limits.instructionsPerDispatch)
    let used = queue.stormInstructions(of: vm.instructionsUsed)
    if used <= most { return nil }
    return "actions from the queue used more than \(most) instructions together"
  }

  private func endStorm(_ excess: String, at event: Timers.Event) {
    let name = queue.stormiest ?? ""
    var waking = queue.waking
    if case .wake(let task) = event { waking.insert(task, at: 0) }
    let dropped = queue.count
    queue.removeAll()
    queue.outsideCame()
    for task in waking { drop(task) }
    report(
      .queuedFailed(
        DispatchFailure(
          kind: .limit, action: name,
          message: "\(excess) without a dispatch from outside and without time passing, most "
            + "often \(name); \(dropped) more were dropped"
        )))
  }

  /// Queues an event now, or sets a timer for it.
  func add(_ action: QueuedAction, in seconds: Double, owner: Timers.Owner) {
    let delay = EngineTime.microseconds(seconds)
    if delay == 0 {
      queue.add(.action(action), owner: owner)
    } else {
      timers.add(
        .action(action), due: EngineTime.later(time, by: delay), owner: owner, name: action.name)
    }
  }

  /// What is still to come: queued and scheduled actions and waiting effects, as sentences.
  package var pending: [String] {
    queue.actions.map { "\($0.name) is queued (by #\($0.cause.revision))" }
      + timers.actions.map { "\($0.name) is due at \(EngineTime.seconds($0.due))" }
      + effects.all.compactMap {
        effects[$0].map { "\($0.effect.title) waits (#\($0.cause.revision))" }
      }
  }
}
