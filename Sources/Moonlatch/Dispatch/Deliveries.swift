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
    var cancelled: Set<Int> = []
  }

  private let line = Mutex(Line())
  /// Set before anything is added, so that whoever finds it unset has nothing to deliver.
  private let hasBeenUsed = Atomic(false)

  func add(_ deliveries: [Delivery]) {
    guard !deliveries.isEmpty else { return }
    hasBeenUsed.store(true, ordering: .releasing)
    line.withLock { line in
      if line.waiting.isEmpty { line.waiting = deliveries } else { line.waiting += deliveries }
    }
  }

  /// Whether there may be something to deliver.
  var isWaiting: Bool { hasBeenUsed.load(ordering: .acquiring) }

  /// No delivery of this subscription begins from now on.
  func cancel(_ subscription: Int) {
    line.withLock { line in
      line.waiting.removeAll { $0.subscription == subscription }
      if line.isDelivering { line.cancelled.insert(subscription) }
    }
  }

  func deliver() {
    while let batch = nextBatch() {
      for delivery in batch where !isCancelled(delivery.subscription) {
        delivery.tell()
      }
      line.withLock { $0.isDelivering = false }
    }
  }

  private func nextBatch() -> [Delivery]? {
    line.withLock { line in
      guard !line.isDelivering, !line.waiting.isEmpty else { return nil }
      line.isDelivering = true
      line.cancelled = []
      defer { line.waiting = [] }
      return line.waiting
    }
  }

  private func isCancelled(_ subscription: Int) -> Bool {
    line.withLock { $0.cancelled.contains(subscription) }
  }
}
