import Dispatch
import Platform
import Synchronization

/// What moves a host's clock.
public enum HostClock: Sendable {
  /// Time passes by itself, also while the machine sleeps: timers fire when they are due.
  ///
  /// What came due while the machine slept fires at the next call, or within a minute of its waking.
  case real
  /// Time passes only by `advance(_:)`.
  case virtual
  /// Time passes as a clock of the program's own says, which also wakes the host for its timers.
  ///
  /// Its `sleep` is to return when the time has come, and to throw when its task is cancelled. Where it
  /// returns too early the system's clock wakes the host to look again; where it throws, timers fire at
  /// the next call.
  case driven(by: any Clock<Duration>)

  package var movesByItself: Bool {
    if case .virtual = self { false } else { true }
  }
}

/// A host's time, where it moves by itself, and what wakes the host for its next timer.
///
/// The host's time is a clock's less a base, which is set anew wherever the host's time has been set
/// by something else: a reload that begins anew, a history that was gone along. One alarm is set at
/// most, for the earliest time that was asked for; it goes with the host.
package final class AlarmClock: Sendable {
  /// Another clock than the system's.
  private struct Other: Sendable {
    /// Whole microseconds since the host was made.
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

  /// What will ring: a timer of the system's, which costs nothing once it is cancelled (a task that
  /// sleeps keeps its memory until it would have woken), or a task that sleeps on the other clock.
  private struct Alarm {
    var timer: (any DispatchSourceTimer)?
    var task: Task<Void, Never>?
    /// Which task is the present one.
    var number = 0
    var ring: (@Sendable () async -> Void)?
  }

  private let other: Other?
  /// What the clock says when the host's time is zero.
  private let base: Atomic<Int>
  /// The clock's time for which the alarm is set; `.max` while it is not, `.min` once it never will be.
  private let time = Atomic<Int>(.max)
  private let alarm = Mutex(Alarm())

  /// So long the system's timer sleeps at most, in microseconds: it stands still with the machine.
  private static let longestSleep = 60_000_000

  /// Nil for a clock that does not move by itself.
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

  /// The host's time: whole microseconds.
  package var elapsed: Int { now - base.load(ordering: .relaxed) }

  /// The host's time stands still until `goOn(from:)`, as while a case is restored.
  package func standStill() { base.store(EngineTime.last, ordering: .relaxed) }

  /// The host's time is another now: from here on it passes as before.
  package func goOn(from elapsed: Int) { base.store(now - elapsed, ordering: .relaxed) }

  private var now: Int { other?.now() ?? AlarmClock.system() }

  /// Whole microseconds of the clock that Swift's `ContinuousClock` shows, which goes on while the
  /// machine sleeps: asked at every dispatch, and so straight from the system.
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

  /// Says what is to be done when the alarm rings.
  package func onRing(_ ring: @escaping @Sendable () async -> Void) {
    alarm.withLock { $0.ring = ring }
  }

  /// Rings when the host's time is `due`, unless it rings before.
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

  /// The alarm will not ring any more, whatever is asked for.
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

  /// The system's timer has woken: it rings if the time has come by the clock, and only then.
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
    // Detached: what runs for a timer has no task-locals of whoever set it.
    if let ring { Task.detached { await ring() } }
  }

  /// Detached, as above.
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
          // It may have woken too early: the clock is not asked in a circle.
          pause = min(max(2 * pause, 1_000), 1_000_000)
        }
      } catch {
        self?.clear(number)
        return
      }
      await self?.clear(number)?()
    }
  }

  /// The alarm is not set any more, if that task is still the present one.
  ///
  /// Gives what is to be done then.
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
