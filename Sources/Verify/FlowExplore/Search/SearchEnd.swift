import Synchronization

/// A condition that ends a search early: somebody stops it, or its time is over.
final class SearchEnd: Sendable {
  /// The reason for an early end.
  enum Reason: Int {
    case stopped = 1
    case time
  }

  private let deadline: ContinuousClock.Instant?
  private let isStopped: (@Sendable () -> Bool)?
  private let found = Atomic<Int>(0)

  /// Creates a condition that is due when the time is over or the function returns true.
  ///
  /// - Parameters:
  ///   - time: the time that the search may take from now on; nil for any.
  ///   - isStopped: returns true to stop the search.
  init(after time: Duration? = nil, _ isStopped: (@Sendable () -> Bool)? = nil) {
    deadline = time.map { .now + $0 }
    self.isStopped = isStopped
  }

  /// True if the search must end now; may be read on any thread.
  var isDue: Bool {
    if reason != nil { return true }
    if let isStopped, isStopped() {
      found.store(Reason.stopped.rawValue, ordering: .relaxed)
    } else if let deadline, .now >= deadline {
      found.store(Reason.time.rawValue, ordering: .relaxed)
    }
    return reason != nil
  }

  /// The reason for the early end; nil if there was none.
  var reason: Reason? { Reason(rawValue: found.load(ordering: .relaxed)) }
}
