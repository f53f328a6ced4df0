/// Tasks that wait, suspended, for something that one at a time may have: first come, first served.
final class SuspendedLine: Sendable {
  private let lock = Lock()

  /// `nonisolated(unsafe)`, both: read and written only under `lock`.
  nonisolated(unsafe) private var isTaken = false
  nonisolated(unsafe) private var waiting = Queue<CheckedContinuation<Void, Never>>()

  /// Returns when it is this task's turn.
  ///
  /// Cancelling the task does not end the wait. Each `join` is followed by a `leave`.
  func join() async {
    await withCheckedContinuation { continuation in
      let isFirst = lock.withLock {
        if isTaken {
          waiting.append(continuation)
          return false
        }
        isTaken = true
        return true
      }
      if isFirst { continuation.resume() }
    }
  }

  /// Lets the next one in.
  func leave() {
    let next = lock.withLock {
      let next = waiting.popFirst()
      if next == nil { isTaken = false }
      return next
    }
    next?.resume()
  }
}
