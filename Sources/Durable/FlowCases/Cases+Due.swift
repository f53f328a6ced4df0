import FlowKernel

/// What is due of cases that sleep.
///
/// What is due of those that are awake their hosts see to, by their own clocks: these may go otherwise than the wall
/// clock, if somebody has set that.
extension Cases {
  /// So many are woken at once, which share their writes to the journal.
  private static let wokenAtOnce = 64
  /// So many are read from the journal at once.
  private static let page = 256
  /// After so many microseconds it is tried again to wake a case that could not be woken.
  private static let patience = 60_000_000

  func ringForTheNext() async throws {
    guard options.clock.movesByItself, let due = try await nextDue(after: .min) else { return }
    scheduler.ring(at: due)
  }

  private func nextDue(after time: Int) async throws(JournalError) -> Int? {
    try await calls.call { try await $0.nextDue(after: time) }
  }

  /// Those that have something due, of shards that this node holds; each is given to one node.
  private func due(limit: Int) async throws(JournalError) -> [String] {
    let now = options.wall()
    guard let node else {
      return try await calls.call { try await $0.due(until: now, limit: limit) }
    }
    return try await node.claimDue(until: now, limit: limit)
  }

  /// The ids of cases that have had something due since a time, in microseconds since 1970.
  package func due(since time: Int, limit: Int) async throws(JournalError) -> [String] {
    try await calls.call { try await $0.due(until: time, limit: limit) }
  }

  /// Activates the cases of which something is due: as they come back, it happens.
  func wakeWhatIsDue() async {
    let begin = options.wall()
    // The journal goes on to name these: they could not be woken, or their own clocks see to it.
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
    // What came due meanwhile is rung for at once.
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

  /// What is wrong with one case keeps no other from its turn, and is told once a minute.
  private func wakeForWhatIsDue(_ id: String) async {
    do {
      try await use(id, by: .clock) { try await $0.catchUp() }
      note(id, troubledUntil: nil)
    } catch {
      note(id, troubledUntil: options.wall() + Cases.patience)
      options.reporting(
        HostName(id: id, flow: flow.name), "what is due could not be done: \(error)")
    }
  }
}
