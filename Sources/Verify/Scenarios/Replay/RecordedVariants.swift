import FlowCases
import LuaRuntime

/// The cases of a recorded log, grouped by their events.
package struct RecordedVariants {
  /// A group of cases with the same events in the same order.
  package struct Variant {
    /// The numbers of the events, as indices in `events`.
    package let events: [Int]
    /// The number of cases in the group.
    package fileprivate(set) var cases: Int
    /// The name of the first case, and the lines of its events.
    package let firstCase: String
    package let lines: [Int]
  }

  /// An event: an action with its payload.
  package struct Event: Hashable, Sendable {
    package let action: String
    package let payload: Value

    package init(action: String, payload: Value) {
      (self.action, self.payload) = (action, payload)
    }
  }

  /// The variants in the order in which their first cases begin.
  package private(set) var variants: [Variant] = []
  /// The different events.
  package private(set) var events: [Event] = []
  package private(set) var cases = 0
  package private(set) var rows = 0
  package private(set) var malformed = 0
  /// The number of rows that the map left out.
  package private(set) var skipped = 0

  private struct Case {
    var events: [Int] = []
    var lines: [Int] = []
  }

  /// Reads a log to its end; the rows of a case need not be together.
  ///
  /// - Parameter tell: receives each row that cannot be read as an event.
  package init(
    _ log: RecordedEvents, tell: (_ line: Int, _ malformed: String) throws -> Void
  ) throws {
    var (names, dispatched) = (ByteNames(), ByteNames())
    var found: [Case] = []
    while let (line, row) = try log.next() {
      rows += 1
      switch row {
      case .event(let name, _):
        let number = names.add(name)
        if number == found.count { found.append(Case()) }
        let event = dispatched.add(log.events.bytes)
        if event == events.count {
          let (action, payload) = log.events.event(log.events.bytes)
          events.append(Event(action: action, payload: payload))
        }
        found[number].events.append(event)
        found[number].lines.append(line)
      case .malformed(let reason):
        malformed += 1
        try tell(line, reason)
      case .skipped: skipped += 1
      }
    }
    cases = found.count
    var numbers: [[Int]: Int] = [:]
    for (number, found) in found.enumerated() {
      if let known = numbers[found.events] {
        variants[known].cases += 1
        continue
      }
      numbers[found.events] = variants.count
      variants.append(
        Variant(
          events: found.events, cases: 1,
          firstCase: String(decoding: names[number], as: UTF8.self), lines: found.lines))
    }
  }
}
