import FlowHosting
import FlowKernel

/// Answers of tasks, on their way to the cases that wait for them.
extension Cases {
  /// The number of answers that are read from the journal at once, and of cases that get theirs at once.
  private static let (answersRead, answeredAtOnce) = (256, 64)
  /// The time between two looks for answers, and the number of looks after which old rows are deleted.
  private static let (pause, looksPerSweep) = (Duration.seconds(1), 60)
  /// The time after a signal of another node in which no other one is followed.
  private static let rest = Duration.milliseconds(50)

  /// Begins to look for answers: those that were given on other nodes, or were not delivered.
  func startTasks() async throws(JournalError) {
    tasks.onAnswer { [weak self] row in await self?.deliver(row) }
    let (report, flow) = (options.report, self.flow.name)
    tasks.onReport { kind, id, message in
      report(HostReport(kind, from: HostName(id: id, flow: flow), message))
    }
    watch.taskObserver.withLock { [tasks] in
      $0 = EntryNotifier.TaskObserver(
        lease: { tasks.leases(for: $0, of: $1) }, notified: { tasks.notified(by: $0, of: $1) },
        stored: { tasks.follow($0, of: $1) },
        failed: { tasks.withdraw($0) })
    }
    tasks.findEvent = NotificationSource { [weak self] task, id, rules in
      guard let self else { throw CancellationError() }
      return try await self.event(of: task, in: id, rules)
    }
    guard calls.journal is any TaskStore else { return }
    // Cases without capabilities, as an inspector has them, leave the tasks of others as they are.
    let capabilities = tasks.capabilities
    if node == nil, !capabilities.isEmpty { try await tasks.endLeases() }
    // Without capabilities, too: a host file may provide the first one later.
    tasks.performances.open()
    if !capabilities.isEmpty { try await tasks.use(capabilities) }
    guard options.clock.movesByItself else { return }
    let looking = Task { [weak self] in
      var looks = 0
      while !Task.isCancelled {
        looks += 1
        await self?.lookForAnswers(sweeps: looks % Cases.looksPerSweep == 0)
        try? await Task.sleep(for: Cases.pause)
      }
    }
    let listening = Task { [weak self, tasks] in
      // A host file may provide the first capability later.
      for await _ in tasks.signals where !tasks.capabilities.isEmpty {
        await self?.lookForAnswers()
        try? await Task.sleep(for: Cases.rest)
      }
    }
    keepTaskLoops([looking, listening])
  }

  /// Delivers answers that no case has got yet, lets late tasks fail, and wakes waiting claims.
  ///
  /// - Parameter sweeps: true to delete rows that are not needed any more.
  package func lookForAnswers(sweeps: Bool = false) async {
    guard calls.journal is any TaskStore, !isClosed else { return }
    do throws(JournalError) {
      try await tasks.expire()
      try await tasks.performFreeTasks()
      // Answers that cannot be delivered now stay, and must not hold back later ones.
      var last: StoredTask?
      repeat {
        let answered = try await tasks.answers(after: last, limit: Cases.answersRead)
        await deliver(answered)
        last = answered.count < Cases.answersRead ? nil : answered.last
      } while last != nil
      try await tasks.wakeForFreeTasks()
      if sweeps { try await tasks.deleteEnded() }
    } catch {
      if isClosed || error.kind == .closed { return }
      options.report(
        HostReport(
          .dueWorkFailed, from: HostName(id: flow.name, flow: flow.name),
          "tasks could not be read: \(error)"))
    }
  }

  private func deliver(_ rows: [StoredTask]) async {
    await withTaskGroup(of: Void.self) { group in
      for (index, row) in rows.enumerated() {
        if index >= Cases.answeredAtOnce { await group.next() }
        group.addTask { await self.deliver(row) }
      }
    }
  }

  /// Gives an answer to its case; the entry with it closes the task.
  ///
  /// An answer that cannot be given now stays in the journal, and is given later.
  private func deliver(_ row: StoredTask) async {
    guard let outcome = row.outcome, node?.holds(row.caseID) ?? true else { return }
    if isClosed {
      // Effects that the end waits for are still running; what gets no answer now gets it later.
      let host = awake.withLock { $0.host(of: row.caseID) }
      _ = try? await host?.answer(row.task.key, with: outcome)
      return
    }
    do {
      let isHeard = try await use(row.caseID, by: .clock) { host in
        if try await host.answer(row.task.key, with: outcome) { return true }
        // A node that has lost the case does not know for what it waits now.
        try await self[row.caseID].expectRight(of: host)
        return false
      }
      // It was given when the case was activated, or nothing waits for it.
      if !isHeard { try await tasks.discard(row.id) }
    } catch let error as JournalError {
      switch error.kind {
      case .unknownCase, .endedCase: try? await tasks.discard(row.id)
      case .fenced, .otherVersion, .closed: _ = await isAnothers(row.caseID, error)
      default:
        if isClosed { return }
        options.report(
          HostReport(
            .dueWorkFailed, from: HostName(id: row.caseID, flow: flow.name),
            "the answer of task \(row.id) could not be delivered: \(error)"))
      }
    } catch {}
  }
}
