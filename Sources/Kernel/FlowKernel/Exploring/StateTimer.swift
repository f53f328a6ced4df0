import LuaRuntime

/// A pending timer of a state, whose delay is written in the flow.
///
/// Of two that are due together the one with the longer delay was set earlier, and comes first. So the order follows
/// from what is due when, but for timers of equal delays: `StateTimerOrder` has theirs.
package struct StateTimer: Hashable, Sendable {
  /// Its number among all such timers of the flow.
  package let number: Int
  /// In microseconds, as the flow says it.
  package let delay: Int
  package let timer: PendingTimer
}

/// The slot of the timers of states in one region at one depth, of which one state at most is active at a time.
package struct StateTimerSlot: Hashable, Sendable {
  package let machine: String
  package let region: Int
  package let depth: Int
}

/// The order of pending timers of states that have one delay, by their numbers.
///
/// It is known to whoever sets or stops one of them: that changes the order and the timer's own slot, and nothing
/// else.
package struct StateTimerOrder: Hashable, Sendable {
  /// Groups of two or more timers that are due together, each in the order in which they were set; the group that is due
  /// next comes first.
  var ties: [[Int]] = []
  /// The timers that were set at the present time, in order; one that is set now comes behind them.
  package var latest: [Int] = []

  package var isEmpty: Bool { ties.isEmpty && latest.isEmpty }

  /// The position of each in the order.
  fileprivate func addPositions(to positions: inout [Int: Int]) {
    for (position, number) in (ties.joined() + latest).enumerated() { positions[number] = position }
  }
}

extension CanonicalState {
  /// Sets the parts for all pending timers of a case.
  ///
  /// - Parameter timers: those of the case, times being relative to now, in the order in which they are due.
  mutating func set(timers: [PendingTimer], _ table: StateTimerTable) {
    if table.isEmpty {
      if !timers.isEmpty { parts[.timers] = .timers(timers) }
      return
    }
    let entries = timers.map { table.entry(of: $0) }
    var others: Set<Int> = []
    for (timer, entry) in zip(timers, entries) where entry == nil { others.insert(timer.due) }
    if !others.isEmpty {
      parts[.timers] = .timers(timers.filter { others.contains($0.due) })
    }
    var slots: [Part: [StateTimer]] = [:]
    var ordered: [Part: [StateTimer]] = [:]
    for (timer, entry) in zip(timers, entries) {
      guard let entry else { continue }
      let timer = StateTimer(number: entry.number, delay: entry.delay, timer: timer)
      slots[entry.slot, default: []].append(timer)
      if let order = entry.order { ordered[order, default: []].append(timer) }
    }
    for (slot, timers) in slots { parts[slot] = .stateTimers(timers) }
    for (part, timers) in ordered {
      let order = StateTimerOrder(timers)
      if !order.isEmpty { parts[part] = .timerOrder(order) }
    }
  }

  /// The pending timers, in the order in which they are due.
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
    // Whatever is due together with others stands among these already.
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

  /// In how many microseconds the next timer is due; nil where none is pending.
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

extension StateTimerOrder {
  /// - Parameter timers: all of one delay that are pending, in the order in which they are due.
  fileprivate init(_ timers: [StateTimer]) {
    var rest = timers[...]
    while let first = rest.first {
      let together = rest.prefix { $0.timer.due == first.timer.due }
      rest = rest[together.endIndex...]
      if first.timer.due == first.delay {
        latest = together.map(\.number)
      } else if together.count > 1 {
        ties.append(together.map(\.number))
      }
    }
  }
}

extension StateTimer: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeCount(number)
    writer.writeInteger(delay)
    writer.write(timer)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      number: try reader.readCount(), delay: try reader.readInteger(), timer: try reader.read())
  }
}

extension StateTimerSlot: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(machine)
    writer.writeCount(region)
    writer.writeCount(depth)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      machine: try reader.readText(), region: try reader.readCount(),
      depth: try reader.readCount())
  }
}

extension StateTimerOrder: Stored {
  package func write(to writer: inout ValueWriter) {
    for group in [latest] + ties {
      writer.writeCount(group.count)
      for number in group { writer.writeCount(number) }
    }
    writer.writeCount(0)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    func group() throws(ValueReader.Malformed) -> [Int] {
      var numbers: [Int] = []
      for _ in 0..<(try reader.readLength()) { numbers.append(try reader.readCount()) }
      return numbers
    }
    self.init()
    latest = try group()
    while case let tie = try group(), !tie.isEmpty { ties.append(tie) }
  }
}
