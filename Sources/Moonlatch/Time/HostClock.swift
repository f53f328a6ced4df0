import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What moves a host's clock.
public enum HostClock: Sendable {
  /// Time passes by itself: timers fire when they are due.
  case real
  /// Time passes only by `advance(_:)`.
  case virtual
  /// Time passes as a clock of the program's own says, which also wakes the host for its timers.
  case driven(by: any Clock<Duration>)
}

/// Wakes a host whose clock moves by itself when its next timer is due.
final class AlarmClock: Sendable {
  /// Another clock than the system's.
  private struct Other: Sendable {
    let elapsed: @Sendable () -> Int
    let sleep: @Sendable (_ due: Int) async throws -> Void

    init(_ clock: some Clock<Duration>) {
      let start = clock.now
      elapsed = { EngineTime.microseconds(start.duration(to: clock.now)) }
      sleep = { due in
        try await clock.sleep(until: start.advanced(by: .microseconds(due)), tolerance: nil)
      }
    }
  }

  private let start = ContinuousClock.now
  private let begun = AlarmClock.monotonic()
  private let other: Other?
  /// The earliest time for which the alarm is set.
  private let set = Mutex<Int?>(nil)

  /// Nil for a clock that does not move by itself.
  init?(_ clock: HostClock) {
    switch clock {
    case .real: other = nil
    case .virtual: return nil
    case .driven(let clock): other = AlarmClock.opened(clock)
    }
  }

  private static func opened(_ clock: some Clock<Duration>) -> Other { Other(clock) }

  /// Whole microseconds since the host began.
  var elapsed: Int { other?.elapsed() ?? AlarmClock.monotonic() - begun }

  /// Whole microseconds of the system's monotonic clock: asked at every dispatch, and so straight
  /// from the system.
  private static func monotonic() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
  }

  /// Calls `ring` when that much time has passed since the host began, unless it rings before.
  func ring(at due: Int, _ ring: @escaping @Sendable () -> Void) {
    let isNew = set.withLock { earliest in
      if let earliest, earliest <= due { return false }
      earliest = due
      return true
    }
    guard isNew else { return }
    let deadline = start.advanced(by: .microseconds(due))
    Task {
      do {
        if let other {
          try await other.sleep(due)
        } else {
          try await ContinuousClock().sleep(until: deadline)
        }
      } catch {
        // A clock that does not wake: timers fire at the next call.
        return set.withLock { if $0 == due { $0 = nil } }
      }
      set.withLock { if $0 == due { $0 = nil } }
      ring()
    }
  }
}
