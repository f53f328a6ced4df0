import FlowKernel
import Synchronization

/// Notifies listeners of stored entries.
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

  /// A function that is called with the tasks that an entry has opened, once it is stored.
  package struct TaskReport: Sendable {
    package let report: @Sendable ([OpenTask]) -> Void

    package init(report: @escaping @Sendable ([OpenTask]) -> Void) { self.report = report }
  }

  package let taskReport = Mutex<TaskReport?>(nil)
  /// The number of effects that have failed, as entries record them.
  package let failedEffects = Atomic(0)

  package init() {}

  private let news = CaseBroadcaster<Void>(capacity: 1)

  /// Returns a signal for each time that entries of a case were stored; unread signals merge into one.
  package func news(of id: String) -> AsyncStream<Void> { news.messages(about: id) }

  /// True if nobody waits for entries.
  package var isIdle: Bool { news.isIdle }

  /// Signals that an entry of a case was stored, with the tasks that it has opened.
  package func tell(_ id: String, opened tasks: [OpenTask] = []) {
    news.send((), about: id)
    if !tasks.isEmpty { taskReport.withLock { $0?.report }?(tasks) }
  }

  /// Signals all listeners, because entries of any case may have been stored.
  package func tellAll() { news.sendToAll(()) }

  /// Ends all sequences of signals.
  package func end() { news.end() }
}
