import Dispatch

/// A value that comes once, for all who wait for it: tasks, threads and callbacks.
///
/// This type owns every continuation that the package stores. `fulfill` resumes each exactly once,
/// so that a task can only wait for ever where nobody fulfills the promise. Waiters are called in
/// the order in which they came; one that comes while others are called is called after them.
package final class Promise<Value: Sendable>: Sendable {
  private let lock = Lock()

  /// `nonisolated(unsafe)`, these three: read and written only under `lock`.
  nonisolated(unsafe) private var waiting: [@Sendable (Value) -> Void] = []
  nonisolated(unsafe) private var isFulfilling = false
  nonisolated(unsafe) private var outcome: Value?

  package init() {}

  /// A promise that has its value.
  package init(fulfilled value: Value) { (outcome, isFulfilling) = (value, true) }

  /// The value, once it is there and all have been called who waited for it.
  package var current: Value? { lock.withLock { outcome } }

  /// Gives the value; the first one counts.
  ///
  /// - Returns: true if it was the first.
  @discardableResult
  package func fulfill(_ value: Value) -> Bool {
    let isFirst = lock.withLock {
      defer { isFulfilling = true }
      return !isFulfilling
    }
    guard isFirst else { return false }
    while true {
      let batch: [@Sendable (Value) -> Void] = lock.withLock {
        if waiting.isEmpty { outcome = value }
        defer { waiting = [] }
        return waiting
      }
      if batch.isEmpty { return true }
      for call in batch { call(value) }
    }
  }

  /// Calls `body` with the value: at once if it is there.
  package func then(_ body: @escaping @Sendable (Value) -> Void) {
    let known: Value? = lock.withLock {
      if outcome == nil { waiting.append(body) }
      return outcome
    }
    if let known { body(known) }
  }

  /// Suspends the task until the value is there.
  ///
  /// Cancelling the task does not end the wait.
  package var value: Value {
    get async {
      if let known = current { return known }
      return await withCheckedContinuation { continuation in
        then { continuation.resume(returning: $0) }
      }
    }
  }

  /// Blocks the thread until the value is there.
  ///
  /// Not for a thread of Swift's own pool.
  package func wait() -> Value {
    if let known = current { return known }
    let received = Received<Value>()
    then { received.give($0) }
    return received.wait()
  }
}

/// Takes a value from one thread to another that is blocked until then.
private final class Received<Value: Sendable>: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  /// `nonisolated(unsafe)`: written before the semaphore is signalled, and read after that.
  nonisolated(unsafe) private var value: Value?

  func give(_ value: Value) {
    self.value = value
    semaphore.signal()
  }

  func wait() -> Value {
    while true {
      semaphore.wait()
      if let value { return value }
    }
  }
}
