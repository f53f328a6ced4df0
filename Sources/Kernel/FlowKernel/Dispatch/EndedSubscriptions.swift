import Synchronization

/// Subscriptions that have ended, and that the engine still knows: they end without the host's lock.
package final class EndedSubscriptions: Sendable {

  package init() {}
  private let numbers = Mutex<[Int]>([])
  /// Set before `numbers` has anything, so that whoever finds it unset has nothing to take.
  private let mayHaveAny = Atomic(false)

  /// Whether there may be any.
  package var isWaiting: Bool { mayHaveAny.load(ordering: .acquiring) }

  package func add(_ number: Int) {
    numbers.withLock { numbers in
      numbers.append(number)
      mayHaveAny.store(true, ordering: .releasing)
    }
  }

  /// Those that have ended since this was last asked.
  package func take() -> [Int] {
    numbers.withLock { numbers in
      mayHaveAny.store(false, ordering: .relaxed)
      defer { numbers = [] }
      return numbers
    }
  }
}
