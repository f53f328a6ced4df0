import Synchronization

/// What ends a search before it has seen all: somebody stops it, or its time is over.
final class SearchEnd: Sendable {
  /// Why it ends.
  enum Reason: Int {
    case stopped = 1
    case time
  }

  private let deadline: ContinuousClock.Instant?
  private let isStopped: (@Sendable () -> Bool)?
  private let found = Atomic<Int>(0)

  /// - Parameters:
  ///   - time: how long it may take from now on.
  ///   - isStopped: whether somebody stops it.
  init(after time: Duration? = nil, _ isStopped: (@Sendable () -> Bool)? = nil) {
    deadline = time.map { .now + $0 }
    self.isStopped = isStopped
  }

  /// Whether it is to end now; asked on any thread.
  var isDue: Bool {
    if reason != nil { return true }
    if let isStopped, isStopped() {
      found.store(Reason.stopped.rawValue, ordering: .relaxed)
    } else if let deadline, .now >= deadline {
      found.store(Reason.time.rawValue, ordering: .relaxed)
    }
    return reason != nil
  }

  /// Why it was to end; nil where it was not.
  var reason: Reason? { Reason(rawValue: found.load(ordering: .relaxed)) }
}
