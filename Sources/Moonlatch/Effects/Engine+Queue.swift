import LuaRuntime

/// The queue and the clock: what runs when.
extension Engine {
  /// Runs the queue dry.
  ///
  /// The clock stands still.
  package func settle() {
    transcript?.entries.append(.settle)
    runQueue()
    reportChangedLocals()
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
    if queue.count == 0 { return }
    while let item = queue.takeFirst() {
      switch item.event {
      case .wake(let task): go(on: task, with: .success([]))
      case .action(let queued):
        queue.ran(queued.name)
        if queue.stormCount > limits.chain { return endStorm() }
        run(queued)
      }
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

  private func endStorm() {
    let name = queue.stormiest ?? ""
    let dropped = queue.count
    queue.removeAll()
    queue.outsideCame()
    report(
      .queuedFailed(
        Failure(
          kind: .limit, action: name,
          message: "\(limits.chain) actions ran from the queue without a dispatch from "
            + "outside and without time passing, most often \(name); \(dropped) more were dropped"
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
