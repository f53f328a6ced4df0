import StateBlocks
import Synchronization

/// The outcome of writing a turn to the journal: answers, subscribers and capabilities wait for it.
///
/// It is settled once, by whoever has stored the turn's entry or failed to. Those who wait are called in the order in
/// which they came.
final class WriteReceipt: Sendable {
  private let outcome: Promise<JournalError?>
  private let lastMessage = Mutex(0)

  init() { outcome = Promise() }

  private init(settled error: JournalError?) { outcome = Promise(fulfilled: error) }

  /// One for which nobody has to wait.
  static var settled: WriteReceipt { WriteReceipt(settled: nil) }

  var isSettled: Bool { outcome.current != nil }

  /// The number of the latest message to subscribers that waited for it.
  var message: Int {
    get { lastMessage.withLock { $0 } }
    set { lastMessage.withLock { $0 = newValue } }
  }

  /// Reports that the turn is stored, or why it is not.
  func settle(_ error: JournalError?) { outcome.fulfill(error) }

  /// Calls `body` once it is settled: at once if it is.
  func then(_ body: @escaping @Sendable (JournalError?) -> Void) { outcome.then(body) }

  /// Blocks until it is settled.
  func wait() throws(JournalError) {
    if let error = outcome.wait() { throw error }
  }

  /// Suspends until it is settled.
  func waitWhenFree() async throws(JournalError) {
    if let error = await outcome.value { throw error }
  }
}
