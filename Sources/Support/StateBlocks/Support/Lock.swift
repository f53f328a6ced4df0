import Synchronization

/// A small lock that knows who holds it: one atomic exchange to take it, one plain store to leave
/// it.
///
/// The word is zero, or the holder's token. Leaving does not look for waiters with a second atomic
/// exchange, as a futex lock must: a waiter that parks says so in `parked`, and the holder reads it
/// after its store. The processor may let that read overtake the store, so that a holder misses a
/// waiter who parks in just those nanoseconds; the waiter's first wait is therefore limited to a
/// millisecond, after which its mark has long been visible. Nothing else depends on a clock.
///
/// The thread sanitizer sees these atomics (it does not see `Synchronization.Mutex` on Linux), so
/// the same lock stands in every build.
struct Lock: ~Copyable, Sendable {
  private let word = Atomic<UInt>(0)
  private let parked = Atomic<Bool>(false)
  private let slot = ParkingLot.nextSlot()

  /// A holder for sections that need no identity.
  static let anyone: UInt = 1

  /// The token of the holder, or zero.
  ///
  /// Exact only for the holder itself.
  @inline(__always)
  var owner: UInt { word.load(ordering: .relaxed) }

  /// Takes the lock if it is free.
  @inline(__always)
  func tryLock(as token: UInt = anyone) -> Bool {
    word.compareExchange(expected: 0, desired: token, ordering: .acquiring).exchanged
  }

  /// Takes the lock, waiting while somebody else holds it.
  @inline(__always)
  func lock(as token: UInt = anyone) {
    if !tryLock(as: token) { wait(as: token) }
  }

  /// Leaves the lock.
  ///
  /// Only its holder may call this.
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
  /// The pauses double, so that whoever holds the lock can use it many times in a row instead of
  /// passing the cache line back and forth.
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
