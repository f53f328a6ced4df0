import Dispatch

/// A value that is set once, for any number of waiting tasks, threads and callbacks.
///
/// This type owns every continuation that the package stores. `fulfill` resumes each exactly once, so a task waits for
/// ever only if the promise is never fulfilled. Waiters are called in the order in which they were added; a waiter that
/// is added while others are called is called after them.
package final class Promise<Value: Sendable>: Sendable {
  private let lock = Lock()

  /// `nonisolated(unsafe)`, these three: read and written only under `lock`.
  nonisolated(unsafe) private var waiting: [@Sendable (Value) -> Void] = []
  nonisolated(unsafe) private var isFulfilling = false
  nonisolated(unsafe) private var outcome: Value?

  package init() {}

  /// Makes a promise that has its value.
  package init(fulfilled value: Value) { (outcome, isFulfilling) = (value, true) }

  /// The value, or nil until it is set and all waiters have been called.
  package var current: Value? { lock.withLock { outcome } }

  /// Sets the value; only the first call has an effect.
  ///
  /// - Returns: true if this call was the first.
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

  /// Calls `body` with the value, at once if it is set.
  package func then(_ body: @escaping @Sendable (Value) -> Void) {
    let known: Value? = lock.withLock {
      if outcome == nil { waiting.append(body) }
      return outcome
    }
    if let known { body(known) }
  }

  /// Suspends the task until the value is set.
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

  /// Blocks the thread until the value is set.
  ///
  /// Do not call it on a thread of Swift's cooperative pool.
  package func wait() -> Value {
    if let known = current { return known }
    let received = Received<Value>()
    then { received.give($0) }
    return received.wait()
  }
}

/// A value that one thread hands to another, which blocks until then.
private final class Received<Value: Sendable>: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  /// `nonisolated(unsafe)`: written before the semaphore is signalled, and read afterwards.
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
