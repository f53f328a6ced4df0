import Platform
import struct Synchronization.Atomic

/// Subscriptions that have ended and that the engine still has, so that one can end without the host's lock.
package final class EndedSubscriptions: Sendable {

  package init() {}
  private let numbers = Mutex<[Int]>([])
  /// True if `numbers` may not be empty: a reader that sees false has nothing to take.
  private let mayHaveAny = Atomic(false)

  /// True if there may be any.
  package var isWaiting: Bool { mayHaveAny.load(ordering: .acquiring) }

  package func add(_ number: Int) {
    numbers.withLock { numbers in
      numbers.append(number)
      mayHaveAny.store(true, ordering: .releasing)
    }
  }

  /// Removes and returns the subscriptions that have ended since the last call.
  package func take() -> [Int] {
    numbers.withLock { numbers in
      mayHaveAny.store(false, ordering: .relaxed)
      defer { numbers = [] }
      return numbers
    }
  }
}
