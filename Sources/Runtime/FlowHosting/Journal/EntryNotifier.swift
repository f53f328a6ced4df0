import FlowKernel
import Platform
import struct Synchronization.Atomic

/// Notifies listeners of stored entries.
package final class EntryNotifier: Sendable {
  /// A function that receives the time that each append took.
  ///
  /// A structure, because a function that lies in a mutex by itself is wrapped once more by each access.
  package struct AppendReport: Sendable {
    package let report: @Sendable (Duration) -> Void

    package init(report: @escaping @Sendable (Duration) -> Void) {
      self.report = report
    }
  }

  /// A function that is called with each commit of any case, once it is stored.
  private struct Observer: Sendable {
    let handler: @Sendable (_ id: String, Commit) -> Void
  }

  private struct Observers {
    var all: [Int: Observer] = [:]
    var last = 0
  }

  package let appendReport = Mutex<AppendReport?>(nil)

  /// The functions that follow the tasks and the notifications of entries.
  package struct TaskObserver: Sendable {
    /// Returns leases for the tasks that its node performs itself, among those that an entry is about to open.
    let lease: @Sendable ([OpenTask], _ id: String) -> [OpenTask.Key: TaskLease]
    /// Returns the rows that notifications of an entry's commits need.
    let notified: @Sendable (JournalEntry, _ id: String) -> [OpenTask]
    /// Receives an entry that changes tasks, once it is stored.
    let stored: @Sendable (JournalEntry, _ id: String) -> Void
    /// Receives an entry that has leases and could not be stored.
    let failed: @Sendable (JournalEntry) -> Void

    package init(
      lease: @escaping @Sendable ([OpenTask], _ id: String) -> [OpenTask.Key: TaskLease],
      notified: @escaping @Sendable (JournalEntry, _ id: String) -> [OpenTask],
      stored: @escaping @Sendable (JournalEntry, _ id: String) -> Void,
      failed: @escaping @Sendable (JournalEntry) -> Void
    ) {
      (self.lease, self.notified, self.stored, self.failed) = (lease, notified, stored, failed)
    }
  }

  package let taskObserver = Mutex<TaskObserver?>(nil)
  /// The number of effects that have failed, as entries record them.
  package let failedEffects = Atomic(0)
  private let observers = Mutex(Observers())

  package init() {}

  private let news = CaseBroadcaster<Void>(capacity: 1)

  /// Returns a signal for each time that entries of a case were stored; unread signals merge into one.
  package func news(of id: String) -> AsyncStream<Void> { news.messages(about: id) }

  /// True if nobody waits for entries.
  package var isIdle: Bool { news.isIdle }

  /// Signals that an entry of a case was stored.
  package func tell(_ id: String) { news.send((), about: id) }

  /// Adds leases and notifications to an entry of a case that is about to be stored.
  package func prepared(_ entry: JournalEntry, of id: String) -> JournalEntry {
    guard let observer = taskObserver.withLock({ $0 }) else { return entry }
    var entry = entry
    if !entry.tasks.opened.isEmpty { entry.leases = observer.lease(entry.tasks.opened, id) }
    entry.notified = observer.notified(entry, id)
    return entry
  }

  /// Gives back the leases of an entry that could not be stored.
  package func withdraw(_ entry: JournalEntry) {
    if !entry.leases.isEmpty { taskObserver.withLock { $0 }?.failed(entry) }
  }

  /// Delivers a stored entry of a case: calls the observers with its commits, and signals the listeners.
  ///
  /// - Parameter source: the time of birth and the secrets of the case, which the entry does not have.
  package func deliver(_ entry: JournalEntry, of id: String, _ source: CommitSource) {
    let observers = observers.withLock { Array($0.all.sorted { $0.key < $1.key }.map(\.value)) }
    if !observers.isEmpty, let commits = try? entry.contents().commits {
      for commit in commits {
        let whole = source.whole(commit)
        for observer in observers { observer.handler(id, whole) }
      }
    }
    tell(id)
    if entry.changesTasks { taskObserver.withLock { $0 }?.stored(entry, id) }
  }

  /// Signals all listeners, because entries of any case may have been stored.
  package func tellAll() { news.sendToAll(()) }

  /// Adds an observer of the commits of all cases; it is called on the thread that reports what was stored.
  ///
  /// - Returns: the number by which it is removed.
  package func observe(_ handler: @escaping @Sendable (_ id: String, Commit) -> Void) -> Int {
    observers.withLock { observers in
      observers.last += 1
      observers.all[observers.last] = Observer(handler: handler)
      return observers.last
    }
  }

  /// Removes an observer.
  package func removeObserver(_ number: Int) {
    let removed = observers.withLock { $0.all.removeValue(forKey: number) }
    _ = removed  // its captures are released outside the lock
  }

  /// Ends all sequences of signals.
  package func end() { news.end() }
}
