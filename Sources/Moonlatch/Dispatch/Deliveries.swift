import StateBlocks
import Synchronization

/// Tells subscribers in order: what is added under the host's lock is delivered outside it, by one
/// thread at a time.
///
/// Whoever finds a delivery under way leaves its own to that thread.
final class Deliveries: Sendable {
  private struct Line {
    var waiting: [Delivery] = []
    var isDelivering = false
    /// Subscriptions that have ended, and that the engine still knows.
    var ended: [Int] = []
  }

  private let line = Mutex(Line())
  /// Set before anything is added, so that whoever finds it unset has nothing to deliver.
  private let hasBeenUsed = Atomic(false)
  /// Set before `ended` has anything, likewise.
  private let mayHaveEnded = Atomic(false)

  func add(_ deliveries: [Delivery]) {
    guard !deliveries.isEmpty else { return }
    hasBeenUsed.store(true, ordering: .releasing)
    line.withLock { line in
      if line.waiting.isEmpty { line.waiting = deliveries } else { line.waiting += deliveries }
    }
  }

  /// Whether there may be something to deliver.
  var isWaiting: Bool { hasBeenUsed.load(ordering: .acquiring) }

  /// Notes that a subscription has ended, which nobody hears any more.
  func end(_ subscription: Int) {
    line.withLock { line in
      line.ended.append(subscription)
      mayHaveEnded.store(true, ordering: .releasing)
    }
  }

  /// Whether subscriptions may have ended since they were last taken.
  var hasEnded: Bool { mayHaveEnded.load(ordering: .acquiring) }

  /// The subscriptions that have ended since this was last asked.
  func takeEnded() -> [Int] {
    line.withLock { line in
      mayHaveEnded.store(false, ordering: .relaxed)
      defer { line.ended = [] }
      return line.ended
    }
  }

  func deliver() {
    while let batch = nextBatch() {
      for delivery in batch { delivery.tell() }
      line.withLock { $0.isDelivering = false }
    }
  }

  private func nextBatch() -> [Delivery]? {
    line.withLock { line in
      guard !line.isDelivering, !line.waiting.isEmpty else { return nil }
      line.isDelivering = true
      defer { line.waiting = [] }
      return line.waiting
    }
  }
}
