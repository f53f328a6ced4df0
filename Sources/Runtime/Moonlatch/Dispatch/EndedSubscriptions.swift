import Synchronization

/// Subscriptions that have ended, and that the engine still knows: they end without the host's lock.
final class EndedSubscriptions: Sendable {
  private let numbers = Mutex<[Int]>([])
  /// Set before `numbers` has anything, so that whoever finds it unset has nothing to take.
  private let mayHaveAny = Atomic(false)

  /// Whether there may be any.
  var isWaiting: Bool { mayHaveAny.load(ordering: .acquiring) }

  func add(_ number: Int) {
    numbers.withLock { numbers in
      numbers.append(number)
      mayHaveAny.store(true, ordering: .releasing)
    }
  }

  /// Those that have ended since this was last asked.
  func take() -> [Int] {
    numbers.withLock { numbers in
      mayHaveAny.store(false, ordering: .relaxed)
      defer { numbers = [] }
      return numbers
    }
  }
}
