/// Which thread waits for which turn, so that no circle of waiting threads ever closes.
///
/// Only a thread that holds a turn and has to wait for another one registers here. Each registers
/// before it waits, under one lock, and then follows the chain: the turn's holder, the turn that
/// the holder waits for, and so on. Whoever registers last in a circle sees the whole of it,
/// because all the others stored their ownerships before they registered; it gives up, and the
/// others go on. What is seen may be out of date only for threads that no longer wait, and those
/// end the search.
final class WaitingThreads: Sendable {
  static let shared = WaitingThreads()

  private let lock = Lock()

  /// `nonisolated(unsafe)`: read and written only under `lock`.
  nonisolated(unsafe) private var turns: [UInt: Turn] = [:]

  /// Waits for a turn and takes it, or throws `.deadlock` if that could never end.
  func wait(for turn: Turn, as token: UInt) throws(AgentError) {
    let circle: [Turn]? = lock.withLock {
      let circle = self.circle(from: turn, back: token)
      if circle == nil { turns[token] = turn }
      return circle
    }
    if let circle { throw .deadlock(chain: Self.names(circle)) }
    turn.lock.lock(as: token)
    lock.withLock { turns[token] = nil }
  }

  /// The turns from `turn` to the one that the asking thread holds, or nil if the chain ends
  /// elsewhere.
  private func circle(from turn: Turn, back token: UInt) -> [Turn]? {
    var chain = [turn]
    var last = turn
    while true {
      let owner = last.lock.owner
      if owner == token { return chain }
      guard owner != 0, let next = turns[owner], !chain.contains(where: { $0 === next }) else {
        return nil
      }
      chain.append(next)
      last = next
    }
  }

  /// What this thread holds, from where the circle closes, and then what the others wait for.
  private static func names(_ circle: [Turn]) -> [String] {
    let held = Turn.held
    let start = held.firstIndex { $0 === circle.last } ?? 0
    return held[start...].map(\.name) + circle.map(\.name)
  }
}
