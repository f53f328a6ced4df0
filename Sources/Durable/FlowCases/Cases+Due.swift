import FlowKernel

/// Timers of sleeping cases that are due.
///
/// Hosts of cases that are awake run their own timers, by their own clocks: these may differ from the wall
/// clock, if that was set.
extension Cases {
  /// The number of cases that are woken at once, and share their writes to the journal.
  private static let wokenAtOnce = 64
  /// The number of cases that are read from the journal at once.
  private static let page = 256
  /// The time after which waking a case is tried again, in microseconds.
  private static let patience = 60_000_000

  func ringForTheNext() async throws {
    guard options.clock.movesByItself, let due = try await nextDue(after: .min) else { return }
    scheduler.ring(at: due)
  }

  private func nextDue(after time: Int) async throws(JournalError) -> Int? {
    try await calls.call { try await $0.nextDue(after: time) }
  }

  /// Returns cases with something due, of shards that this node holds; each is claimed for one node.
  private func due(limit: Int) async throws(JournalError) -> [String] {
    let now = options.wall()
    guard let node else {
      return try await calls.call { try await $0.due(until: now, limit: limit) }
    }
    return try await node.claimDue(until: now, limit: limit)
  }

  /// Returns the ids of cases that have had something due since a time, in microseconds since 1970.
  package func due(since time: Int, limit: Int) async throws(JournalError) -> [String] {
    try await calls.call { try await $0.due(until: time, limit: limit) }
  }

  /// Activates the cases that have something due; being activated, they run it.
  func wakeWhatIsDue() async {
    let begin = options.wall()
    // The journal keeps listing these: they could not be woken, or run their own timers.
    var passedOver = Set(troubled(after: begin).keys)
    var latest: Set<String> = []
    while !isClosed {
      guard let ids = try? await due(limit: Cases.page + passedOver.count) else { break }
      let due = ids.filter { !passedOver.contains($0) }
      if due.isEmpty { break }
      passedOver.formUnion(due.filter { latest.contains($0) || isAwake($0) })
      latest = Set(due)
      await wake(due.filter { !passedOver.contains($0) })
      passedOver.formUnion(troubled(after: begin).keys)
    }
    // If something fell due meanwhile, the scheduler rings at once.
    let next = [(try? await nextDue(after: begin)) ?? nil, troubled(after: begin).values.min()]
    if let due = next.compactMap(\.self).min() { scheduler.ring(at: due) }
  }

  private func wake(_ ids: [String]) async {
    await withTaskGroup(of: Void.self) { group in
      for (index, id) in ids.enumerated() {
        if index >= Cases.wokenAtOnce { await group.next() }
        group.addTask { await self.wakeForWhatIsDue(id) }
      }
    }
  }

  /// Wakes a case; if it fails, reports the error, skips the case for a minute, and does not stop the others.
  private func wakeForWhatIsDue(_ id: String) async {
    do {
      try await use(id, by: .clock) { try await $0.catchUp() }
      note(id, troubledUntil: nil)
    } catch {
      note(id, troubledUntil: options.wall() + Cases.patience)
      options.report(
        HostReport(
          .dueWorkFailed, from: HostName(id: id, flow: flow.name),
          "due timers could not run: \(error)"))
    }
  }
}
