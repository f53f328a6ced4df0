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
}

/// Wakes a host with a real clock when its next timer is due.
final class AlarmClock: Sendable {
  private let start = ContinuousClock.now
  /// The earliest time for which the alarm is set.
  private let set = Mutex<Int?>(nil)

  /// Whole microseconds since the host began.
  var elapsed: Int { AlarmClock.monotonic() - begun }

  private let begun = AlarmClock.monotonic()

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
      try? await ContinuousClock().sleep(until: deadline)
      set.withLock { if $0 == due { $0 = nil } }
      ring()
    }
  }
}
