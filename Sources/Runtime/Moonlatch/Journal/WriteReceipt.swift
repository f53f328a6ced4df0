import Dispatch
import Synchronization

/// What waits for a turn to be kept: answers, subscribers, calls of capabilities.
///
/// It is settled once, by whoever has kept the turn's entry or failed to; those who wait are told in the order in
/// which they came.
final class WriteReceipt: Sendable {
  private struct State {
    var waiting: [@Sendable (JournalError?) -> Void] = []
    var isSettling = false
    var outcome: JournalError??
    /// The number of the latest message to subscribers that waited for it.
    var message = 0
  }

  private let state = Mutex(State())

  init() {}

  /// One for which nobody has to wait.
  static var settled: WriteReceipt {
    let receipt = WriteReceipt()
    receipt.settle(nil)
    return receipt
  }

  var isSettled: Bool { state.withLock { $0.outcome != nil } }

  /// The number of the latest message to subscribers that waited for it.
  var message: Int {
    get { state.withLock(\.message) }
    set { state.withLock { $0.message = newValue } }
  }

  /// Says whether the turn is kept.
  func settle(_ error: JournalError?) {
    let isFirst = state.withLock { state in
      if state.isSettling { return false }
      state.isSettling = true
      return true
    }
    guard isFirst else { return }
    while true {
      let waiting: [@Sendable (JournalError?) -> Void] = state.withLock { state in
        // Whoever comes while others are being told stands behind them.
        if state.waiting.isEmpty { state.outcome = .some(error) }
        defer { state.waiting = [] }
        return state.waiting
      }
      if waiting.isEmpty { return }
      for tell in waiting { tell(error) }
    }
  }

  /// Calls `tell` once it is settled: at once, where it is.
  func then(_ tell: @escaping @Sendable (JournalError?) -> Void) {
    let outcome: JournalError?? = state.withLock { state in
      if state.outcome == nil { state.waiting.append(tell) }
      return state.outcome
    }
    if let outcome { tell(outcome) }
  }

  /// Blocks until it is settled.
  func wait() throws(JournalError) {
    if let outcome = state.withLock(\.outcome) {
      if let outcome { throw outcome }
      return
    }
    let semaphore = DispatchSemaphore(value: 0)
    let failure = Mutex<JournalError?>(nil)
    then { error in
      failure.withLock { $0 = error }
      semaphore.signal()
    }
    semaphore.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Suspends until it is settled.
  func waitWhenFree() async throws(JournalError) {
    let error = await withCheckedContinuation { continuation in
      then { continuation.resume(returning: $0) }
    }
    if let error { throw error }
  }
}
