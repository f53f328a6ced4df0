import FlowHosting
import FlowKernel

/// Tasks of capabilities that have a performer within the process.
///
/// A task takes a slot for as long as it is performed. If a slot is free when the task is opened, its row is inserted
/// with a lease, and it is performed once its entry is stored; otherwise it is claimed later. Its outcome is stored
/// before the slot is given back.
extension CaseTasks {
  /// The time until an interrupted task that was not cancelled can be claimed again, in microseconds.
  static let pauseAfterInterruption = 1_000_000
  /// The first and the longest time between two attempts to store an outcome.
  private static let (firstPause, longestPause) = (Duration.milliseconds(10), Duration.seconds(2))
  /// The time in which cancelled performers have to return.
  private static let timeToReturn = Duration.seconds(1)

  // MARK: Entries

  /// Returns leases for tasks that an entry is about to open, as far as slots are free.
  func leases(for tasks: [OpenTask], of caseID: String) -> [OpenTask.Key: TaskLease] {
    var leases: [OpenTask.Key: TaskLease] = [:]
    for task in tasks {
      guard let performer = performer(of: task) else { continue }
      let lease = TaskLease(worker: worker, length: performer.lease)
      let performance = TaskPerformances.Performance(
        PerformedTask(task, of: caseID, attempt: 1), by: performer, of: task.capability,
        token: lease.token)
      if performances.reserve(performance) { leases[task.key] = lease }
    }
    return leases
  }

  /// Performs the tasks that a stored entry has opened, and cancels those that it has closed without an answer.
  func follow(_ entry: JournalEntry, of caseID: String) {
    var others: [OpenTask] = []
    for task in entry.tasks.opened {
      if entry.leases[task.key] == nil {
        others.append(task)
      } else {
        perform(task.key)
      }
    }
    if !others.isEmpty { wake(for: others) }
    fillSlots(for: entry.notified)
    if entry.hasEnded {
      performances.cancel {
        ExactText($0.caseID) == ExactText(caseID) && $0.task.kind != .notification
      }
    } else {
      let cancelled = Set(
        entry.tasks.closed.filter { !$0.isAnswered }.map {
          OpenTask.Key(call: $0.call, tryNumber: $0.tryNumber)
        })
      if !cancelled.isEmpty { performances.cancel { cancelled.contains($0.task.key) } }
    }
  }

  /// Gives back the slots of an entry that could not be stored.
  func withdraw(_ entry: JournalEntry) { for key in entry.leases.keys { finish(key) } }

  /// Returns the performer of a task within the process; nil if others perform it.
  private func performer(of task: OpenTask) -> LocalPerformer? {
    guard let capability = capability(of: task), capability.kind == task.kind,
      ExactText(capability.queue) == ExactText(task.queue)
    else { return nil }
    return capability.performer
  }

  // MARK: Claims

  /// Claims tasks for the free slots: those whose lease has ended, those of other nodes, and those that were given
  /// back.
  func performFreeTasks() async throws(JournalError) {
    let known = capabilities
    let free = performances.free(among: known.compactMapValues(\.performer))
    if free.isEmpty { return }
    let queues = free.compactMap { name in known[name].map { (name: name, queue: $0.queue) } }
    let now = wall()
    let found = try await line.read { (rows) throws(JournalError) in
      var found: [String] = []
      for (name, queue) in queues {
        let count = try rows.freeCount(in: queue, until: now, limit: 1)
        if count > 0 { found.append(name) }
      }
      return found
    }
    for name in found { fillSlots(of: name) }
  }

  /// Claims the tasks among these that a performer within the process may perform.
  func fillSlots(for tasks: [OpenTask]) {
    for name in Set(tasks.filter { performer(of: $0) != nil }.map(\.capability)) {
      fillSlots(of: name)
    }
  }

  private func fillSlots(of name: String) {
    guard performances.beginClaims(of: name) else { return }
    Task { await claimTasks(of: name) }
  }

  private func claimTasks(of name: String) async {
    while true {
      let capability = capabilities[name]
      let atOnce = capability?.performer?.atOnce ?? 0
      let slots = performances.slotsForClaim(of: name, atOnce: atOnce)
      guard slots > 0, let capability, let performer = capability.performer else { return }
      let rules = TaskClaim.Rules(lease: performer.lease, attempts: capability.attempts)
      let claim = TaskClaim(
        queues: [capability.queue], rules: [name: rules], most: slots, worker: worker)
      let claimed = try? await line.perform { (table) throws(JournalError) in
        try table.claim(claim)
      }
      var late: [StoredTask] = []
      for row in claimed ?? [] {
        let addition = performances.add(
          TaskPerformances.Performance(
            PerformedTask(row.task, of: row.caseID, attempt: row.attempt), by: performer,
            of: name, token: row.token ?? ""))
        switch addition {
        case .added: perform(row.task.key)
        case .known: break
        case .late: late.append(row)
        }
      }
      // Claimed while the cases were closed, who wait for the end of the claim.
      await release(late)
      guard performances.endClaim(of: name, slots: slots, claimed: claimed?.count) else { return }
    }
  }

  // MARK: Performing

  private func perform(_ key: OpenTask.Key) {
    guard let performance = performances[key] else { return }
    let work = Task {
      if performance.task.task.kind == .notification { return await sendEvents(of: key) }
      let outcome = await performance.performer.perform(performance.task)
      await store(key) { (performance) async throws(JournalError) in
        try await settle(outcome, of: performance)
      }
      finish(key)
    }
    performances.start(key, work)
  }

  /// Gives the slot of a task to the next one.
  ///
  /// - Parameter token: the token with which it has ended; nil to remove it in any case.
  /// - Returns: false if it was claimed again since then.
  @discardableResult
  func finish(_ key: OpenTask.Key, token: String? = nil) -> Bool {
    let (isOver, next) = performances.finish(key, token: token)
    if let next { fillSlots(of: next) }
    return isOver
  }

  /// Stores an outcome, and tries again until the journal has it: it must not be lost.
  ///
  /// The outcome is accepted, also after the lease has ended, as long as no other node has claimed the task.
  ///
  /// - Returns: the result of `write`; nil if the task is not performed any more, or the journal is closed.
  @discardableResult
  func store<Answer: Sendable>(
    _ key: OpenTask.Key,
    _ write: (TaskPerformances.Performance) async throws(JournalError) -> Answer
  ) async -> Answer? {
    var pause = CaseTasks.firstPause
    var isReported = false
    while let performance = performances[key] {
      do throws(JournalError) {
        return try await write(performance)
      } catch {
        if error.kind == .closed { return nil }
        if !isReported {
          report(
            .dueWorkFailed, performance.task.caseID,
            "the outcome of \(key.call.text) could not be stored yet: \(error)")
        }
        isReported = true
      }
      // A task of its own: in a cancelled task, `sleep` would return at once.
      let time = pause
      await Task { _ = try? await Task.sleep(for: time) }.value
      pause = min(pause * 2, CaseTasks.longestPause)
    }
    return nil
  }

  private func settle(
    _ outcome: PerformedOutcome, of performance: TaskPerformances.Performance
  ) async throws(JournalError) {
    let (key, token) = (performance.key, performance.token)
    switch outcome {
    case .answered(let answer):
      let reply = try await line.perform { (table) throws(JournalError) in
        try table.answer(key, token: token, with: answer)
      }
      deliver(reply, answer)
    case .accepted:
      _ = try await line.perform { (table) throws(JournalError) in
        try table.accept(key, token: token)
      }
    case .dead(let reason):
      let reply = try await line.perform { (table) throws(JournalError) in
        try table.end(key, token: token, because: reason)
      }
      guard case .done(let row) = reply else { return }
      // A task that is performed at most once has failed instead.
      if let answer = row.outcome {
        deliver(reply, answer)
      } else {
        countOutcome(of: row, as: "dead")
      }
    case .interrupted:
      let pause = Task.isCancelled ? 0 : CaseTasks.pauseAfterInterruption
      _ = try await line.perform { (table) throws(JournalError) in
        try table.giveBack(key, token: token, after: pause)
      }
    }
  }

  // MARK: The end

  /// Waits until the tasks that have begun are performed, and claims that are under way have ended; after
  /// `timeToFinish` cancels the others and gives them back.
  func endPerforming() async {
    performances.end()
    if await performances.isIdle(within: timeToFinish) { return }
    performances.cancelAll()
    if await performances.isIdle(within: CaseTasks.timeToReturn) { return }
    for performance in performances.abandon() {
      let (key, token) = (performance.key, performance.token)
      _ = try? await line.perform { (table) throws(JournalError) in
        try table.giveBack(key, token: token, after: 0)
      }
    }
  }
}
