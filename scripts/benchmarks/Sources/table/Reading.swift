import Bench
import Foundation
import Moonlatch
import Synchronization

/// Two threads that read a view while a third dispatches, against one that reads alone.
struct Reading {
  /// A read by one thread alone.
  let alone: Figure
  /// A read while a third thread dispatches: the time by the number of the reads of both.
  let together: Figure
  /// A dispatch meanwhile.
  let dispatch: Figure

  private static let dispatches = 50_000

  init() throws {
    let host = try FlowHost(
      source: Flows.counter + "\nfunction view.count(s) return s.count end",
      options: HostOptions(clock: .virtual))
    let times = try Stopwatch.times(
      of: [
        .init(name: "alone", count: 1_000) { count in
          for _ in 0..<count {
            try WrongResult.unless(try host.view("count") == 0, "the view has another value")
          }
        }
      ], rounds: 100)
    alone = .nanoseconds(times[0].best)

    let crowd = Crowd(host: host)
    let clock = ContinuousClock()
    let begin = clock.now
    let done = DispatchGroup()
    let bodies: [@Sendable () -> Void] = [
      crowd.read, crowd.read, { crowd.dispatch(Reading.dispatches) },
    ]
    for body in bodies {
      done.enter()
      Thread {
        body()
        done.leave()
      }.start()
    }
    done.wait()
    let time = Stopwatch.nanoseconds(clock.now - begin)
    try WrongResult.unless(
      crowd.faults.load(ordering: .relaxed) == 0, "a read or a dispatch went wrong")
    try WrongResult.unless(
      try host.revision == Reading.dispatches && host.view("count") == .integer(Reading.dispatches),
      "dispatches were lost")
    together = .nanoseconds(time / Double(max(1, crowd.reads.load(ordering: .relaxed))))
    dispatch = .nanoseconds(time / Double(Reading.dispatches))
  }

  /// What the three threads share.
  private final class Crowd: Sendable {
    let host: FlowHost
    let reads = Atomic<Int>(0)
    let faults = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    init(host: FlowHost) { self.host = host }

    /// Reads until nobody dispatches any more; the count never goes back.
    @Sendable func read() {
      var last = 0
      var count = 0
      while !isOver.load(ordering: .acquiring) {
        guard let next = try? host.view("count").integerValue, next >= last else {
          faults.add(1, ordering: .relaxed)
          return
        }
        last = next
        count += 1
      }
      reads.add(count, ordering: .relaxed)
    }

    @Sendable func dispatch(_ count: Int) {
      for _ in 0..<count {
        let outcome = try? host.dispatch("increment")
        if outcome?.isPassed != true { faults.add(1, ordering: .relaxed) }
      }
      isOver.store(true, ordering: .releasing)
    }
  }
}
