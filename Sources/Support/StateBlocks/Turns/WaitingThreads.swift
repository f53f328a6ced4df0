/// The wait-for graph of threads and turns, which never lets a circle of waiting threads close.
///
/// Only a thread that holds a turn and has to wait for another one registers here. It registers before it waits, under
/// one lock, and then follows the chain: the turn's holder, the turn for which that holder waits, and so on. The last
/// thread of a circle to register sees the whole circle, because all others stored their ownership before they
/// registered; it gives up, and the others go on. Entries can be out of date only for threads that no longer wait, and
/// those end the search.
final class WaitingThreads: Sendable {
  static let shared = WaitingThreads()

  private let lock = Lock()

  /// `nonisolated(unsafe)`: read and written only under `lock`.
  nonisolated(unsafe) private var turns: [UInt: Turn] = [:]

  /// Waits for a turn and takes it, or throws `.deadlock` if the wait could never end.
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

  /// Returns the turns from `turn` to the one that the calling thread holds, or nil if the chain ends elsewhere.
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

  /// Returns the names of the turns that this thread holds, from where the circle closes, then those of the circle.
  private static func names(_ circle: [Turn]) -> [String] {
    let held = Turn.held
    let start = held.firstIndex { $0 === circle.last } ?? 0
    return held[start...].map(\.name) + circle.map(\.name)
  }
}
