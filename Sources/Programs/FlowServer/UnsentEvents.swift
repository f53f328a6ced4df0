#if Server
  import LuaRuntime
  import Platform

  /// The unsent events of all streams of a server, with a limit on their bytes.
  ///
  /// The limit holds the memory of listeners that do not read. If another event would exceed it, the streams whose
  /// events have waited longest are dropped, and never the one that is about to send: listeners that do not read cannot
  /// block one that does. A dropped listener resumes with `Last-Event-ID`.
  final class UnsentEvents: Sendable {
    private struct Unsent {
      let bytes: Int
      let drop: @Sendable () -> Void
    }

    private struct State {
      /// The events by ascending number: the smallest has waited longest.
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

    /// The total size, in bytes.
    var bytes: Int { state.withLock(\.bytes) }

    /// Counts an event until `remove` is called with the returned number.
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

    /// Removes an event that was sent, or whose stream has ended.
    func remove(_ number: Int) { state.withLock { _ = $0.remove(number) } }
  }
#endif
