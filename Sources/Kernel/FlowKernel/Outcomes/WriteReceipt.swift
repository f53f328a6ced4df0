import StateBlocks
import Platform

/// The outcome of writing a turn to the journal; answers, subscribers and capabilities wait for it.
///
/// It is settled once: when the turn's entry is stored, or could not be. Waiters are called in the order in which they
/// came.
package final class WriteReceipt: Sendable {
  private let outcome: Promise<JournalError?>
  private let lastMessage = Mutex(0)

  package init() { outcome = Promise() }

  private init(settled error: JournalError?) { outcome = Promise(fulfilled: error) }

  /// A receipt that is settled already, without an error.
  package static var settled: WriteReceipt { WriteReceipt(settled: nil) }

  package var isSettled: Bool { outcome.current != nil }

  /// The number of the latest message to subscribers that waited for it.
  package var message: Int {
    get { lastMessage.withLock { $0 } }
    set { lastMessage.withLock { $0 = newValue } }
  }

  /// Settles the receipt: the turn is stored, or could not be because of the error.
  package func settle(_ error: JournalError?) { outcome.fulfill(error) }

  /// Calls `body` once the receipt is settled; at once if it is already.
  package func then(_ body: @escaping @Sendable (JournalError?) -> Void) { outcome.then(body) }

  /// Blocks until the receipt is settled; throws its error.
  package func wait() throws(JournalError) {
    if let error = outcome.wait() { throw error }
  }

  /// Suspends until the receipt is settled; throws its error.
  package func waitWhenFree() async throws(JournalError) {
    if let error = await outcome.value { throw error }
  }
}
