#if Server
  import LuaRuntime
  import Synchronization

  /// The events that have not left yet, of all streams of a server: no more bytes than it keeps for listeners that do not
  /// read.
  ///
  /// If another event would be too much, the streams whose events have waited longest are dropped, and never the one
  /// that is about to be told: a listener that reads is not held up by others that do not. One that was dropped goes on
  /// with `Last-Event-ID`.
  final class UnsentEvents: Sendable {
    private struct Unsent {
      let bytes: Int
      let drop: @Sendable () -> Void
    }

    private struct State {
      /// By numbers that rise: the smallest has waited longest.
      var events: [Int: Unsent] = [:]
      var bytes = 0
      var last = 0

      mutating func remove(_ number: Int) -> Unsent? {
        guard let event = events.removeValue(forKey: number) else { return nil }
        bytes -= event.bytes
        return event
      }
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int = Limits().retained) { self.most = most }

    /// The bytes of all of them.
    var bytes: Int { state.withLock(\.bytes) }

    /// Counts an event until `remove` is called with the number that it gets.
    ///
    /// - Parameter drop: ends the event's stream; called at most once.
    func add(_ bytes: Int, drop: @escaping @Sendable () -> Void) -> Int {
      let (number, dropped) = state.withLock { state -> (Int, [Unsent]) in
        var dropped: [Unsent] = []
        while state.bytes + bytes > most, let oldest = state.events.keys.min(),
          let event = state.remove(oldest)
        {
          dropped.append(event)
        }
        state.last += 1
        state.events[state.last] = Unsent(bytes: bytes, drop: drop)
        state.bytes += bytes
        return (state.last, dropped)
      }
      for event in dropped { event.drop() }
      return number
    }

    /// The event has left, or its stream has ended.
    func remove(_ number: Int) { state.withLock { _ = $0.remove(number) } }
  }
#endif
