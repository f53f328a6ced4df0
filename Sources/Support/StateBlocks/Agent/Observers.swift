import Synchronization

/// The observers of an agent's changes, in the order of registration.
///
/// `@unchecked Sendable`: `list` and `isOver` are read and written only under `lock`. The closures are `@Sendable`, and
/// changes reach them only through `Agent.subscribe` and `Agent.changes`, which require a `Sendable` state.
final class Observers<State>: @unchecked Sendable {
  /// An observer of changes.
  ///
  /// It is called by one thread at a time, the one that has the outbox's turn.
  final class Observer: Sendable {
    let isActive = Atomic<Bool>(true)
    let tell: @Sendable (AgentChange<State>) throws -> Void
    let finish: (@Sendable () -> Void)?

    init(
      tell: @escaping @Sendable (AgentChange<State>) throws -> Void, finish: (@Sendable () -> Void)?
    ) {
      self.tell = tell
      self.finish = finish
    }
  }

  private let turn: Turn
  private let lock = Lock()
  private var list: [Observer] = []
  private var isOver = false

  /// Makes a list for the agent of `turn`, which is marked as watched while there are observers.
  init(turn: Turn) {
    self.turn = turn
  }

  /// The observers that will receive a commit that begins now.
  var all: [Observer] { lock.withLock { list } }

  /// Adds an observer at the end.
  ///
  /// Returns false if the agent was stopped.
  func add(_ observer: Observer) -> Bool {
    lock.withLock {
      if isOver { return false }
      list.append(observer)
      turn.set(Turn.watchedMark)
      return true
    }
  }

  /// Removes an observer, after which no call to it begins.
  ///
  /// Returns false if it was removed before.
  func remove(_ observer: Observer) -> Bool {
    guard observer.isActive.exchange(false, ordering: .relaxed) else { return false }
    lock.withLock {
      list.removeAll { $0 === observer }
      if list.isEmpty { turn.clear(Turn.watchedMark) }
    }
    return true
  }

  /// Removes and returns all observers, and refuses new ones from now on.
  func end() -> [Observer] {
    lock.withLock {
      defer { list = [] }
      isOver = true
      turn.clear(Turn.watchedMark)
      return list
    }
  }
}
