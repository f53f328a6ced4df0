/// A fair lock for tasks and threads: first come, first served.
package final class SuspendedLine: Sendable {
  private let lock = Lock()

  /// `nonisolated(unsafe)`, both: read and written only under `lock`.
  nonisolated(unsafe) private var isTaken = false
  nonisolated(unsafe) private var waiting = Queue<Promise<Void>>()

  package init() {}

  /// Waits until the task has the lock.
  ///
  /// Cancelling the task does not end the wait. Each `join` must be followed by a `leave`.
  package func join() async { await place()?.value }

  /// Blocks the thread until it has the lock.
  package func joinBlocking() { place()?.wait() }

  /// Takes a place in the line; returns nil if the lock was free and is now the caller's.
  private func place() -> Promise<Void>? {
    lock.withLock {
      if isTaken {
        let place = Promise<Void>()
        waiting.append(place)
        return place
      }
      isTaken = true
      return nil
    }
  }

  /// Hands the lock to the next in line, or frees it.
  package func leave() {
    let next = lock.withLock {
      let next = waiting.popFirst()
      if next == nil { isTaken = false }
      return next
    }
    next?.fulfill(())
  }
}
