import StateBlocks
import Synchronization

/// The outcome of writing a turn to the journal: answers, subscribers and capabilities wait for it.
///
/// It is settled once, by whoever has stored the turn's entry or failed to. Those who wait are called in the order in
/// which they came.
package final class WriteReceipt: Sendable {
  private let outcome: Promise<JournalError?>
  private let lastMessage = Mutex(0)

  package init() { outcome = Promise() }

  private init(settled error: JournalError?) { outcome = Promise(fulfilled: error) }

  /// One for which nobody has to wait.
  package static var settled: WriteReceipt { WriteReceipt(settled: nil) }

  package var isSettled: Bool { outcome.current != nil }

  /// The number of the latest message to subscribers that waited for it.
  package var message: Int {
    get { lastMessage.withLock { $0 } }
    set { lastMessage.withLock { $0 = newValue } }
  }

  /// Reports that the turn is stored, or why it is not.
  package func settle(_ error: JournalError?) { outcome.fulfill(error) }

  /// Calls `body` once it is settled: at once if it is.
  package func then(_ body: @escaping @Sendable (JournalError?) -> Void) { outcome.then(body) }

  /// Blocks until it is settled.
  package func wait() throws(JournalError) {
    if let error = outcome.wait() { throw error }
  }

  /// Suspends until it is settled.
  package func waitWhenFree() async throws(JournalError) {
    if let error = await outcome.value { throw error }
  }
}
