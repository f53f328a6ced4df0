import Dispatch
import Platform
import struct Synchronization.Atomic

/// The source of a host's time.
public enum HostClock: Sendable {
  /// Time passes by itself, also while the machine sleeps, and timers fire when they are due.
  ///
  /// Timers that came due while the machine slept fire at the next call, or within a minute after it wakes.
  case real
  /// Time passes only through `advance(_:)`.
  case virtual
  /// Time passes as a clock of the program says, which also wakes the host for its timers.
  ///
  /// Its `sleep` must return at the deadline, and must throw when its task is cancelled. If it returns too early, the
  /// system's clock wakes the host to check again; if it throws, timers fire at the next call.
  case driven(by: any Clock<Duration>)

  package var movesByItself: Bool {
    if case .virtual = self { false } else { true }
  }
}

/// The time of a host whose clock moves by itself, and the alarm that wakes the host for its next timer.
///
/// The host's time is the clock's time minus a base. The base changes when something else sets the host's time: a
/// reload that begins anew, or a move along the history. At most one alarm is set, for the earliest requested time; it
/// ends with the host.
package final class AlarmClock: Sendable {
  /// A clock other than the system's.
  private struct Other: Sendable {
    /// Returns the whole microseconds since the host was created.
    let now: @Sendable () -> Int
    let sleep: @Sendable (_ microseconds: Int) async throws -> Void

    init(_ clock: some Clock<Duration>) {
      let start = clock.now
      now = { EngineTime.microseconds(start.duration(to: clock.now)) }
      sleep = { microseconds in
        let deadline = clock.now.advanced(by: .microseconds(microseconds))
        try await clock.sleep(until: deadline, tolerance: nil)
      }
    }
  }

  /// An alarm: a timer of the system, or a task that sleeps on the other clock.
  ///
  /// A cancelled timer costs nothing, while a task that sleeps keeps its memory until it would have woken.
  private struct Alarm {
    var timer: (any DispatchSourceTimer)?
    var task: Task<Void, Never>?
    /// The number of the current task.
    var number = 0
    var ring: (@Sendable () async -> Void)?
  }

  private let other: Other?
  /// The clock's time at which the host's time is 0.
  private let base: Atomic<Int>
  /// The clock's time for which the alarm is set; `.max` if it is not set, `.min` once it is stopped for good.
  private let time = Atomic<Int>(.max)
  private let alarm = Mutex(Alarm())

  /// The longest sleep of the system's timer, in microseconds, since it stops while the machine sleeps.
  private static let longestSleep = 60_000_000

  /// Creates the clock; nil for a clock that does not move by itself.
  package init?(_ clock: HostClock) {
    switch clock {
    case .real: other = nil
    case .virtual: return nil
    case .driven(let clock): other = AlarmClock.opened(clock)
    }
    base = Atomic(other == nil ? AlarmClock.system() : 0)
  }

  private static func opened(_ clock: some Clock<Duration>) -> Other { Other(clock) }

  deinit { stop() }

  // MARK: Time

  /// The host's time in whole microseconds.
  package var elapsed: Int { now - base.load(ordering: .relaxed) }

  /// Stops the host's time until `goOn(from:)`, such as while a case is restored.
  package func standStill() { base.store(EngineTime.last, ordering: .relaxed) }

  /// Sets the host's time, from which it passes as before.
  package func goOn(from elapsed: Int) { base.store(now - elapsed, ordering: .relaxed) }

  private var now: Int { other?.now() ?? AlarmClock.system() }

  /// Returns the whole microseconds of Swift's `ContinuousClock`, which also runs while the machine sleeps.
  ///
  /// It is read at every dispatch, and therefore directly from the system.
  private static func system() -> Int {
    var now = timespec()
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &now)
    #else
      clock_gettime(CLOCK_MONOTONIC_RAW, &now)
    #endif
    return now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
  }

  // MARK: The alarm

  /// Sets the function that is called when the alarm rings.
  package func onRing(_ ring: @escaping @Sendable () async -> Void) {
    alarm.withLock { $0.ring = ring }
  }

  /// Sets the alarm for the host's time `due`, unless it is set for an earlier time.
  package func set(for due: Int) {
    let due = EngineTime.later(base.load(ordering: .relaxed), by: due)
    if time.load(ordering: .relaxed) <= due { return }
    let replaced: Task<Void, Never>? = alarm.withLock { alarm in
      if time.load(ordering: .relaxed) <= due { return nil }
      time.store(due, ordering: .relaxed)
      if let other {
        let replaced = alarm.task
        alarm.number += 1
        alarm.task = task(alarm.number, waitingFor: due, on: other)
        return replaced
      }
      let timer = alarm.timer ?? makeTimer()
      AlarmClock.schedule(timer, in: due - now)
      if alarm.timer == nil { timer.activate() }
      alarm.timer = timer
      return nil
    }
    replaced?.cancel()
  }

  /// Stops the alarm for good.
  package func stop() {
    let task: Task<Void, Never>? = alarm.withLock { alarm in
      time.store(.min, ordering: .relaxed)
      alarm.timer?.cancel()
      defer { alarm = Alarm() }
      return alarm.task
    }
    task?.cancel()
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { [weak self] in self?.look() }
    return timer
  }

  private static func schedule(_ timer: any DispatchSourceTimer, in microseconds: Int) {
    timer.schedule(deadline: .now() + .microseconds(min(max(microseconds, 0), longestSleep)))
  }

  /// Rings if the time has come by the clock; otherwise sleeps again.
  private func look() {
    let ring: (@Sendable () async -> Void)? = alarm.withLock { alarm in
      let due = time.load(ordering: .relaxed)
      guard let timer = alarm.timer, due != .max, due != .min else { return nil }
      let left = due - now
      if left > 0 {
        AlarmClock.schedule(timer, in: left)
        return nil
      }
      time.store(.max, ordering: .relaxed)
      return alarm.ring
    }
    // Detached: the work of a timer has no task-locals of the code that set it.
    if let ring { Task.detached { await ring() } }
  }

  /// Returns a detached task that rings at a time of the other clock.
  private func task(_ number: Int, waitingFor due: Int, on clock: Other) -> Task<Void, Never> {
    Task.detached { [weak self] in
      var pause = 0
      do {
        while case let left = due - clock.now(), left > 0 {
          if pause == 0 {
            try await clock.sleep(left)
          } else {
            try await ContinuousClock().sleep(for: .microseconds(max(left, pause)))
          }
          // The clock may have woken it too early: the pause keeps this from being a busy loop.
          pause = min(max(2 * pause, 1_000), 1_000_000)
        }
      } catch {
        self?.clear(number)
        return
      }
      await self?.clear(number)?()
    }
  }

  /// Clears the alarm if that task is still the current one.
  ///
  /// Returns the function to call then; nil if another task has replaced it.
  @discardableResult
  private func clear(_ number: Int) -> (@Sendable () async -> Void)? {
    alarm.withLock { alarm in
      guard alarm.number == number, alarm.task != nil else { return nil }
      time.store(.max, ordering: .relaxed)
      alarm.task = nil
      return alarm.ring
    }
  }
}
