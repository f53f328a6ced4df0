#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock with a condition variable; the guarded state can be accessed only by a thread that holds the lock.
package final class Monitor<State>: @unchecked Sendable {
  // Swift must not move them: threads identify them by their addresses.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  package init(_ state: State) {
    self.state = state
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition.initialize(to: pthread_cond_t())
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` on the state, then wakes the threads that wait for a change if `waking` is true.
  package func with<T>(waking: Bool = false, _ body: (inout State) -> T) -> T {
    pthread_mutex_lock(mutex)
    let result = body(&state)
    pthread_mutex_unlock(mutex)
    // After the unlock, because a woken thread would otherwise have to wait for the lock.
    if waking { pthread_cond_broadcast(condition) }
    return result
  }

  /// Waits until `body` returns a value for the state.
  package func wait<T>(for body: (inout State) -> T?) -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let found = body(&state) { return found }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Waits until `body` returns a value for the state, or until the time is over.
  ///
  /// - Returns: nil if the time is over.
  package func wait<T>(milliseconds: Int, for body: (inout State) -> T?) -> T? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let end = Self.now + milliseconds * 1_000_000
    while true {
      if let found = body(&state) { return found }
      let left = end - Self.now
      if left <= 0 { return nil }
      #if canImport(Darwin)
        var time = timespec(tv_sec: left / 1_000_000_000, tv_nsec: left % 1_000_000_000)
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
      #else
        var time = timespec(tv_sec: end / 1_000_000_000, tv_nsec: end % 1_000_000_000)
        pthread_cond_timedwait(condition, mutex, &time)
      #endif
    }
  }

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
