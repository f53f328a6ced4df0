import LuaRuntime

extension CanonicalState {
  /// Sets the parts for all pending timers of a case.
  ///
  /// - Parameter timers: the case's pending timers by due time, which is relative to now.
  mutating func set(timers: [PendingTimer], _ table: StateTimerTable) {
    if table.isEmpty {
      if !timers.isEmpty { parts[.timers] = .timers(timers) }
      return
    }
    let entries = timers.map { table.entry(of: $0) }
    if entries.contains(where: { $0 == nil }) {
      var others: Set<Int> = []
      for (timer, entry) in zip(timers, entries) where entry == nil { others.insert(timer.due) }
      parts[.timers] = .timers(timers.filter { others.contains($0.due) })
    }
    var ordered: [Part: [StateTimer]] = [:]
    parts.reserveCapacity(parts.count + timers.count)
    for (timer, entry) in zip(timers, entries) {
      guard let entry else { continue }
      let timer = StateTimer(number: entry.number, delay: entry.delay, timer: timer)
      add(timer, to: entry.slot)
      if let order = entry.order { ordered[order, default: []].append(timer) }
    }
    for (part, timers) in ordered {
      let order = StateTimerOrder(timers)
      if !order.isEmpty { parts[part] = .timerOrder(order) }
    }
  }

  private mutating func add(_ timer: StateTimer, to slot: Part) {
    if case .stateTimers(let known)? = parts.updateValue(.stateTimers([timer]), forKey: slot) {
      parts[slot] = .stateTimers(known + [timer])
    }
  }

  /// The pending timers, by due time.
  package var timers: [PendingTimer] {
    var (others, states): ([PendingTimer], [StateTimer]) = ([], [])
    var positions: [Int: Int] = [:]
    for content in parts.values {
      switch content {
      case .timers(let timers): others = timers
      case .stateTimers(let timers): states += timers
      case .timerOrder(let order): order.addPositions(to: &positions)
      default: continue
      }
    }
    if states.isEmpty { return others }
    // Timers that are due together with others are among those already.
    let known = Set(others.map(\.due))
    if !known.isEmpty { states.removeAll { known.contains($0.timer.due) } }
    states.sort {
      ($0.timer.due, -$0.delay, positions[$0.number] ?? 0)
        < ($1.timer.due, -$1.delay, positions[$1.number] ?? 0)
    }
    if others.isEmpty { return states.map(\.timer) }
    var all: [PendingTimer] = []
    var rest = others[...]
    for state in states {
      while let other = rest.first, other.due < state.timer.due { all.append(rest.removeFirst()) }
      all.append(state.timer)
    }
    return all + rest
  }

  /// True if no timer is pending.
  package var hasNoTimers: Bool { nextDue == nil }

  /// The number of microseconds until the next timer is due; nil if none is pending.
  package var nextDue: Int? {
    var next: Int?
    for content in parts.values {
      let due: Int? =
        switch content {
        case .timers(let timers): timers.first?.due
        case .stateTimers(let timers): timers.first?.timer.due
        default: nil
        }
      if let due, due != EngineTime.never { next = min(next ?? due, due) }
    }
    return next
  }
}
