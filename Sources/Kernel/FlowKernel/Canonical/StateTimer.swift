import LuaRuntime

/// A pending timer of a state, whose delay is written in the flow.
///
/// Of two timers that are due together, the one with the longer delay was set earlier, and comes first. So the due
/// times determine the order, except for timers of equal delays: `StateTimerOrder` has theirs.
package struct StateTimer: Hashable, Sendable {
  /// Its number among all such timers of the flow.
  package let number: Int
  /// The delay written in the flow, in microseconds.
  package let delay: Int
  package let timer: PendingTimer

  /// Hashes its identity and its time, which nearly always tell timers apart, and not the action that is due.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(timer.due)
  }
}

/// The timers of the states in one region at one depth, of which at most one state is active at a time.
package struct StateTimerSlot: Hashable, Sendable {
  package let machine: String
  package let region: Int
  package let depth: Int
  /// The hash, computed once: explorations look up slots far more often than they make them.
  private let hash: Int

  package init(machine: String, region: Int, depth: Int) {
    (self.machine, self.region, self.depth) = (machine, region, depth)
    var hasher = Hasher()
    hasher.combine(machine)
    hasher.combine(region)
    hasher.combine(depth)
    hash = hasher.finalize()
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The order of the pending timers of states that have one delay, by their numbers.
///
/// Setting or stopping such a timer changes the order and the timer's own slot, and nothing else.
package struct StateTimerOrder: Hashable, Sendable {
  /// The groups of timers that are due together, each in the order in which they were set; the next group due comes
  /// first.
  var ties: [[Int]] = []
  /// The timers that were set at the present time, in order; one that is set now comes after them.
  package var latest: [Int] = []

  package var isEmpty: Bool { ties.isEmpty && latest.isEmpty }

  /// Adds the position of each timer in the order.
  func addPositions(to positions: inout [Int: Int]) {
    for (position, number) in (ties.joined() + latest).enumerated() { positions[number] = position }
  }
}

extension StateTimerOrder {
  /// - Parameter timers: all pending timers of one delay, by due time.
  init(_ timers: [StateTimer]) {
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
