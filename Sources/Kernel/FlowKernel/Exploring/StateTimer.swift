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
  func addPositions(to positions: inout [Int: Int]) {
    for (position, number) in (ties.joined() + latest).enumerated() { positions[number] = position }
  }
}

extension StateTimerOrder {
  /// - Parameter timers: all of one delay that are pending, in the order in which they are due.
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
