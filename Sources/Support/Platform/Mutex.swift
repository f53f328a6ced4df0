#if CHECKED_LOCKS
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  /// A value behind a lock of pthread, in place of `Synchronization.Mutex`.
  ///
  /// On Linux, the thread sanitizer does not see that a thread has waited for a `Synchronization.Mutex`, and reports
  /// data races that are none. `scripts/test --sanitize thread` therefore defines `CHECKED_LOCKS`. A thread must not
  /// take a lock that it holds, with either type; the sanitizer reports it here.
  package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initialValue: consuming sending Value) {
      lock = .allocate(capacity: 1)
      lock.initialize(to: pthread_mutex_t())
      pthread_mutex_init(lock, nil)
      value = .allocate(capacity: 1)
      value.initialize(to: initialValue)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
      value.deinitialize(count: 1)
      value.deallocate()
    }

    /// Runs `body` on the value while no other thread holds the lock, and returns its result.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }
  }
#else
  import Synchronization

  /// A value behind a lock.
  ///
  /// Builds for the thread sanitizer define `CHECKED_LOCKS`, and have another type of this name.
  package typealias Mutex<Value: ~Copyable> = Synchronization.Mutex<Value>
#endif
