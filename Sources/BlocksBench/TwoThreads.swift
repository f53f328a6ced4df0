import Foundation
import Synchronization

/// Measures what two threads do to one thing at the same time.
///
/// On a machine whose second core is busy elsewhere, two threads take turns instead of meeting, and any lock
/// looks uncontended. So a round counts only if, just before and just after it, two threads that count for
/// themselves did clearly more than one does. The figure is the median of the rounds that count, since the
/// smallest time would be that of the round in which the threads happened not to meet.
struct TwoThreads {
  /// The medians, in nanoseconds for one operation, or nil when there never were two cores.
  var medians: [Double]?
  /// How many rounds counted.
  var rounds = 0

  /// Each body does its thing in a loop until it is told to stop, and returns how often it did.
  typealias Body = @Sendable (borrowing Stop) throws -> Int

  /// Tells two threads to begin and to stop.
  struct Stop: ~Copyable, Sendable {
    fileprivate let arrived = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    /// Whether to stop. Cheap enough to ask after each hundred operations.
    var now: Bool { isOver.load(ordering: .relaxed) }

    fileprivate func begin() {
      arrived.add(1, ordering: .relaxed)
      while arrived.load(ordering: .relaxed) < 2 {}
    }

    fileprivate func end() { isOver.store(true, ordering: .relaxed) }
  }

  /// Measures the bodies in turn, until enough rounds count or too many did not.
  init(_ bodies: [Body], wanted: Int = 11, attempts: Int = 60) throws {
    var times = [[Double]](repeating: [], count: bodies.count)
    for _ in 0..<attempts where rounds < wanted {
      var round: [Double] = []
      for body in bodies {
        guard try Self.hasTwoCores() else { break }
        let time = try Self.run(body, on: 2, seconds: 0.04).nanoseconds
        guard try Self.hasTwoCores() else { break }
        round.append(time)
      }
      guard round.count == bodies.count else { continue }
      for (index, time) in round.enumerated() { times[index].append(time) }
      rounds += 1
    }
    if rounds >= 3 { medians = times.map { $0.sorted()[$0.count / 2] } }
  }

  private static func hasTwoCores() throws -> Bool {
    let spin: Body = { stop in
      var count = 0
      while !stop.now { count += 1 }
      return count
    }
    let one = try run(spin, on: 1, seconds: 0.005).count
    let two = try run(spin, on: 2, seconds: 0.005).count
    return Double(two) > 1.7 * Double(one)
  }

  /// Runs a body on one or two threads for a while.
  private static func run(
    _ body: @escaping Body, on threads: Int, seconds: Double
  ) throws -> (count: Int, nanoseconds: Double) {
    let shared = Shared(threads)
    let done = DispatchGroup()
    for _ in 0..<threads {
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
    let time = clock.now - begin
    if shared.failures.load(ordering: .relaxed) > 0 { throw Failed() }
    let count = max(1, shared.count.load(ordering: .relaxed))
    return (count, Stopwatch.nanoseconds(time) / Double(count))
  }

  /// A body threw.
  struct Failed: Error {}

  private final class Shared: Sendable {
    let stop = Stop()
    let count = Atomic<Int>(0)
    let failures = Atomic<Int>(0)

    init(_ threads: Int) {
      if threads == 1 { stop.arrived.store(1, ordering: .relaxed) }
    }
  }
}
