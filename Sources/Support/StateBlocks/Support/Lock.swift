import Synchronization

/// A small lock that records its owner: one atomic exchange acquires it, one plain store releases it.
///
/// The word is zero, or the owner's token. Releasing does not check for waiters with a second atomic exchange, as a
/// futex lock must. Instead a waiter that parks sets `parked`, and the owner reads it after its store. The processor
/// may let that read overtake the store, so an owner can miss a waiter that parks in just those nanoseconds. The
/// waiter's first wait is therefore limited to a millisecond, after which its mark has long been visible. Nothing else
/// depends on a clock.
///
/// The thread sanitizer sees these atomics (it does not see `Synchronization.Mutex` on Linux), so every build uses the
/// same lock.
struct Lock: ~Copyable, Sendable {
  private let word = Atomic<UInt>(0)
  private let parked = Atomic<Bool>(false)
  private let slot = ParkingLot.nextSlot()

  /// A token for sections that need no owner identity.
  static let anyone: UInt = 1

  /// The token of the owner, or zero.
  ///
  /// Exact only for the owner itself.
  @inline(__always)
  var owner: UInt { word.load(ordering: .relaxed) }

  /// Acquires the lock if it is free, and returns true if it did.
  @inline(__always)
  func tryLock(as token: UInt = anyone) -> Bool {
    word.compareExchange(expected: 0, desired: token, ordering: .acquiring).exchanged
  }

  /// Acquires the lock, and waits while another thread holds it.
  @inline(__always)
  func lock(as token: UInt = anyone) {
    if !tryLock(as: token) { wait(as: token) }
  }

  /// Releases the lock.
  ///
  /// Only its owner may call this.
  @inline(__always)
  func unlock() {
    word.store(0, ordering: .releasing)
    if parked.load(ordering: .relaxed) { wake() }
  }

  /// Runs `body` while holding the lock.
  @inline(__always)
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Spins for a few microseconds, then parks.
  ///
  /// The pauses double, so that the owner can use the lock many times in a row instead of passing the cache line back
  /// and forth.
  @inline(never)
  private func wait(as token: UInt) {
    let pause = Atomic<Int>(0)
    var patience = 1
    while true {
      var length = 32
      for _ in 0..<6 {
        for _ in 0..<length { _ = pause.load(ordering: .relaxed) }
        length = min(length * 2, 512)
        if word.load(ordering: .relaxed) == 0, tryLock(as: token) { return }
      }
      let taken = ParkingLot.wait(in: slot, milliseconds: patience) {
        parked.store(true, ordering: .sequentiallyConsistent)
        return tryLock(as: token)
      }
      if taken { return }
      patience = min(patience * 2, 64)
    }
  }

  @inline(never)
  private func wake() {
    ParkingLot.wake(slot) { parked.store(false, ordering: .relaxed) }
  }
}
