import Synchronization

/// Whoever is told of an agent's changes, in the order of registration.
///
/// `@unchecked Sendable`: `list`, `next` and `isOver` are read and written only under `lock`. The
/// closures are `@Sendable`, and changes reach them only through `Agent.subscribe`, which asks for
/// a `Sendable` state.
final class Observers<State>: @unchecked Sendable {
  /// One observer.
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

  /// Observers for the agent that has `turn`, which is marked as watched while there are any.
  init(turn: Turn) {
    self.turn = turn
  }

  /// Those who will hear of a commit that begins now.
  var all: [Observer] { lock.withLock { list } }

  /// Adds an observer at the end.
  ///
  /// Returns false once the agent was stopped.
  func add(_ observer: Observer) -> Bool {
    lock.withLock {
      if isOver { return false }
      list.append(observer)
      turn.set(Turn.watchedMark)
      return true
    }
  }

  /// Removes an observer: no call to it begins after this.
  ///
  /// Returns false when it was gone already.
  func remove(_ observer: Observer) -> Bool {
    guard observer.isActive.exchange(false, ordering: .relaxed) else { return false }
    lock.withLock {
      list.removeAll { $0 === observer }
      if list.isEmpty { turn.clear(Turn.watchedMark) }
    }
    return true
  }

  /// Lets nobody in any more, and hands out who was there.
  func end() -> [Observer] {
    lock.withLock {
      defer { list = [] }
      isOver = true
      turn.clear(Turn.watchedMark)
      return list
    }
  }
}
