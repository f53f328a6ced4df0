import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The condition variables on which threads wait for a `Lock`; a few, shared by all locks.
enum ParkingLot {
  private static let size = 64
  private static let counter = Atomic<Int>(0)
  private static let slots = (0..<size).map { _ in Slot() }

  /// Returns the slot for a new lock.
  ///
  /// Locks that share a slot wake each other's sleepers, which check their lock and sleep again.
  static func nextSlot() -> Int {
    counter.wrappingAdd(1, ordering: .relaxed).oldValue & (size - 1)
  }

  /// Sleeps in a slot until it is woken or the time is up, unless `isDone` returns true.
  ///
  /// Returns the result of `isDone`.
  static func wait(in slot: Int, milliseconds: Int, unless isDone: () -> Bool) -> Bool {
    slots[slot].wait(milliseconds: milliseconds, unless: isDone)
  }

  /// Runs `change`, then wakes every sleeper of a slot; no sleeper can miss the change.
  static func wake(_ slot: Int, after change: () -> Void) {
    slots[slot].wake(after: change)
  }

  /// One mutex and one condition variable.
  ///
  /// `nonisolated(unsafe)`: the two pointers never change, and only pthread's functions, which are made for concurrent
  /// use, access their targets. Slots live as long as the process.
  private final class Slot: Sendable {
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    nonisolated(unsafe) private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      condition = .allocate(capacity: 1)
      condition.initialize(to: pthread_cond_t())
      #if os(Linux)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
      #else
        pthread_cond_init(condition, nil)
      #endif
    }

    func wait(milliseconds: Int, unless isDone: () -> Bool) -> Bool {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      if isDone() { return true }
      var deadline = timespec()
      #if os(Linux)
        clock_gettime(CLOCK_MONOTONIC, &deadline)
      #else
        clock_gettime(CLOCK_REALTIME, &deadline)
      #endif
      deadline.tv_nsec += milliseconds * 1_000_000
      if deadline.tv_nsec >= 1_000_000_000 {
        deadline.tv_nsec -= 1_000_000_000
        deadline.tv_sec += 1
      }
      pthread_cond_timedwait(condition, mutex, &deadline)
      return false
    }

    func wake(after change: () -> Void) {
      pthread_mutex_lock(mutex)
      change()
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
  }
}
