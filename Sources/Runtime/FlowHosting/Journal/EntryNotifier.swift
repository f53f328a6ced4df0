import Synchronization

/// Tells those who wait for it that entries were kept.
package final class EntryNotifier: Sendable {
  /// A function that is called with the time that each append took.
  ///
  /// A structure, because a function that lies in a mutex by itself is wrapped once more by each access.
  package struct AppendReport: Sendable {
    package let report: @Sendable (Duration) -> Void

    package init(report: @escaping @Sendable (Duration) -> Void) {
      self.report = report
    }
  }

  package let appendReport = Mutex<AppendReport?>(nil)
  /// How many effects have not finished, as entries tell.
  package let failedEffects = Atomic(0)

  package init() {}

  private let news = CaseBroadcaster<Void>(capacity: 1)

  /// Signals each time that entries of a case were stored; signals that nobody has read yet are one.
  package func news(of id: String) -> AsyncStream<Void> { news.messages(about: id) }

  /// True if nobody waits for entries.
  package var isIdle: Bool { news.isIdle }

  /// An entry of the case was stored.
  package func tell(_ id: String) { news.send((), about: id) }

  /// Entries of any case may have been stored.
  package func tellAll() { news.sendToAll(()) }

  /// Nothing more will come.
  package func end() { news.end() }
}
