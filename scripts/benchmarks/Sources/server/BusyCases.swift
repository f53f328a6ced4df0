import Bench
import Dispatch
import FlowPostgres
import Foundation
import Moonlatch
import Synchronization

/// Cases of this program in PostgreSQL, to which 64 tasks dispatch all the time.
final class BusyCases: Sendable {
  private let journal: PostgresJournal
  private let cases: Cases
  private let tasks: [Task<Void, Never>]
  private let passed: Counter

  /// Dispatches that have passed.
  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  init(_ flow: LoadedFlow, at url: String) throws {
    var node = NodeOptions()
    node.lease = .seconds(3)
    let (journal, counter) = (try PostgresJournal(url), Counter())
    let cases = try wait { [node] in
      let cases = try await Cases(
        of: flow, in: journal, options: HostOptions(report: { _ in }), node: node)
      for index in 0..<64 { try await cases.create("c\(index)") }
      return cases
    }
    (self.journal, self.cases, passed) = (journal, cases, counter)
    tasks = (0..<64).map { index in
      Task {
        while !Task.isCancelled {
          // One that is under way when the database stops may fail.
          if (try? await cases["c\(index)"].dispatch("increase", ["by": 1])) != nil {
            counter.count.withLock { $0 += 1 }
          } else {
            try? await Task.sleep(for: .milliseconds(100))
          }
        }
      }
    }
  }

  /// The longest time between two turns of a task that sleeps for a millisecond each time, and of a thread that does
  /// the same, in milliseconds.
  func largestGaps(over time: Duration) throws -> (task: Double, thread: Double) {
    let clock = ContinuousClock()
    let end = clock.now + time
    let thread = Gap()
    let over = DispatchSemaphore(value: 0)
    Thread {
      while thread.turn() < end { usleep(1_000) }
      over.signal()
    }.start()
    let task = Gap()
    try wait { while task.turn() < end { try await Task.sleep(for: .milliseconds(1)) } }
    over.wait()
    return (task.largest, thread.largest)
  }

  /// Waits until something is dispatched again.
  func expectProgress(within time: Duration) throws {
    let (before, end) = (passed.count.withLock { $0 }, ContinuousClock.now + time)
    while passed.count.withLock({ $0 }) == before {
      try WrongResult.unless(ContinuousClock.now < end, "nothing is dispatched within \(time)")
      usleep(10_000)
    }
  }

  func close() throws {
    for task in tasks { task.cancel() }
    try wait { [cases, tasks] in
      for task in tasks { await task.value }
      try await cases.close()
    }
    try journal.close()
  }
}

/// The longest time between two turns of whatever takes them.
private final class Gap: Sendable {
  private struct State {
    var last: ContinuousClock.Instant?
    var largest = Duration.zero
  }

  private let state = Mutex(State())

  var largest: Double { state.withLock(\.largest) / .milliseconds(1) }

  /// Takes a turn, and tells the time.
  func turn() -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    state.withLock { state in
      if let last = state.last { state.largest = max(state.largest, now - last) }
      state.last = now
    }
    return now
  }
}
