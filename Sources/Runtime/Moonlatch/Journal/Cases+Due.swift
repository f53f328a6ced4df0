/// What is due of cases that sleep.
///
/// What is due of those that are awake their hosts see to, by their own clocks: these may go otherwise than the wall
/// clock, if somebody has set that.
extension Cases {
  /// So many are woken at once, which waits for the journal together.
  private static let wokenAtOnce = 256
  /// After so many microseconds it is tried again to wake a case that could not be woken.
  private static let patience = 60_000_000

  func ringForTheNext() throws {
    guard options.clock.movesByItself, let due = try journal.nextDue(after: .min) else { return }
    scheduler.ring(at: due)
  }

  /// Those that have something due, of shards that this node holds; each is given to one node.
  private func due(limit: Int) throws(JournalError) -> [String] {
    guard let node else { return try journal.due(until: options.wall(), limit: limit) }
    return try node.journal.claimDue(
      until: options.wall(), limit: limit, for: .seconds(30), in: node.held)
  }

  /// Activates the cases of which something is due: as they come back, it happens.
  func wakeWhatIsDue() async {
    let begin = options.wall()
    var seen = Set(troubled(after: begin).keys)
    while !isClosed {
      let limit = Cases.wokenAtOnce + seen.count
      guard let ids = try? due(limit: limit) else { break }
      let new = ids.filter { seen.insert($0).inserted }
      if new.isEmpty { break }
      await withTaskGroup { group in
        for id in new where !isAwake(id) { group.addTask { await self.wakeForWhatIsDue(id) } }
      }
    }
    // What came due meanwhile is rung for at once.
    let next = [(try? journal.nextDue(after: begin)) ?? nil, troubled(after: begin).values.min()]
    if let due = next.compactMap(\.self).min() { scheduler.ring(at: due) }
  }

  /// What is wrong with one case keeps no other from its turn, and is told once a minute.
  private func wakeForWhatIsDue(_ id: String) async {
    do {
      try await use(id) { try await $0.catchUp() }
      note(id, troubledUntil: nil)
    } catch {
      note(id, troubledUntil: options.wall() + Cases.patience)
      options.reporting(
        HostName(id: id, flow: flow.name), "what is due could not be done: \(error)")
    }
  }
}
