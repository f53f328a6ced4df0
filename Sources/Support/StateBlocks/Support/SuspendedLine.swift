/// Tasks and threads that wait for something that one at a time may have: first come, first served.
package final class SuspendedLine: Sendable {
  private let lock = Lock()

  /// `nonisolated(unsafe)`, both: read and written only under `lock`.
  nonisolated(unsafe) private var isTaken = false
  nonisolated(unsafe) private var waiting = Queue<Promise<Void>>()

  package init() {}

  /// Returns when it is this task's turn.
  ///
  /// Cancelling the task does not end the wait. Each `join` is followed by a `leave`.
  package func join() async { await place()?.value }

  /// Blocks the thread until it is its turn.
  package func joinBlocking() { place()?.wait() }

  /// A place in the line; nil if it is the first.
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

  /// Lets the next one in.
  package func leave() {
    let next = lock.withLock {
      let next = waiting.popFirst()
      if next == nil { isTaken = false }
      return next
    }
    next?.fulfill(())
  }
}
