import Bench
import Foundation
import Synchronization

/// Measures what two threads do to one thing at the same time.
///
/// If the second core is busy elsewhere, two threads take turns instead of meeting, and any lock
/// looks uncontended. Then the system takes the core away from one to give it to the other, every
/// few milliseconds, and counts that (`ru_nivcsw`); so only those windows of 20 ms are kept in
/// which it happened at most three times. The figure is the median of those, since the smallest
/// time would be that of a window in which the threads happened not to meet.
struct TwoThreads {
  /// The medians, in nanoseconds for one operation, or nil when there were too few windows to tell.
  private(set) var medians: [Double]?
  /// How many windows were kept, of the candidate with the fewest.
  private(set) var windows = 0

  /// Each body does its thing in a loop until it is told to stop, and returns how often it did.
  typealias Body = @Sendable (borrowing LeafNumber) throws -> Int

  /// Tells two threads to begin and to stop.
  struct LeafNumber: ~Copyable, Sendable {
    fileprivate let arrived = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    /// True once the body must stop.
    ///
    /// Cheap enough to ask after each hundred operations.
    var now: Bool { isOver.load(ordering: .relaxed) }

    fileprivate func begin() {
      arrived.add(1, ordering: .relaxed)
      while arrived.load(ordering: .relaxed) < 2 {}
    }

    fileprivate func end() { isOver.store(true, ordering: .relaxed) }
  }

  /// Measures the bodies in turn, until there are enough windows of each, or no time left.
  init(_ bodies: [Body], wanted: Int = 15, attempts: Int = 300) throws {
    var times = [[Double]](repeating: [], count: bodies.count)
    for _ in 0..<attempts where windows < wanted {
      for (index, body) in bodies.enumerated() where times[index].count < wanted {
        let before = Self.timesInterrupted
        let time = try Self.run(body, seconds: 0.02)
        if Self.timesInterrupted - before <= 3 { times[index].append(time) }
      }
      windows = times.map(\.count).min() ?? 0
    }
    if windows >= 3 { medians = times.map { $0.sorted()[$0.count / 2] } }
  }

  /// How often the system took a core away from this process, for another or for its own other
  /// thread.
  private static var timesInterrupted: Int {
    var usage = rusage()
    // 0 is `RUSAGE_SELF`, which Linux and macOS give different Swift types.
    getrusage(0, &usage)
    return usage.ru_nivcsw
  }

  /// Runs a body on two threads for a while; the nanoseconds for one operation.
  private static func run(_ body: @escaping Body, seconds: Double) throws -> Double {
    let shared = Shared()
    let done = DispatchGroup()
    for _ in 0..<2 {
      done.enter()
      Thread {
        shared.stop.begin()
        do {
          shared.count.add(try body(shared.stop), ordering: .relaxed)
        } catch {
          shared.failures.add(1, ordering: .relaxed)
        }
        done.leave()
      }.start()
    }
    while shared.stop.arrived.load(ordering: .relaxed) < 2 { Thread.sleep(forTimeInterval: 0.0001) }
    let clock = ContinuousClock()
    let begin = clock.now
    Thread.sleep(forTimeInterval: seconds)
    shared.stop.end()
    done.wait()
    let time = Stopwatch.nanoseconds(clock.now - begin)
    if shared.failures.load(ordering: .relaxed) > 0 { throw Failed() }
    return time / Double(max(1, shared.count.load(ordering: .relaxed)))
  }

  /// A body threw.
  struct Failed: Error {}

  private final class Shared: Sendable {
    let stop = LeafNumber()
    let count = Atomic<Int>(0)
    let failures = Atomic<Int>(0)
  }
}
