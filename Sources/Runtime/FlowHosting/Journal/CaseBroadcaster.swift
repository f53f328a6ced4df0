import Platform

/// Broadcasts messages about cases to listeners, each of which reads a sequence of its own.
package final class CaseBroadcaster<Message: Sendable>: Sendable {
  private struct State {
    var listeners: [String: [Int: AsyncStream<Message>.Continuation]] = [:]
    var last = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private let capacity: Int

  /// Makes a broadcaster.
  ///
  /// - Parameter capacity: the number of unread messages that a listener keeps, the newest ones.
  package init(capacity: Int) { self.capacity = capacity }

  /// Returns the messages about a case from now on; none once the broadcaster has ended.
  package func messages(about id: String) -> AsyncStream<Message> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Message.self, bufferingPolicy: .bufferingNewest(capacity))
    let number = state.withLock { state -> Int? in
      if state.isOver { return nil }
      state.last += 1
      state.listeners[id, default: [:]][state.last] = continuation
      return state.last
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number, of: id) }
    return stream
  }

  private func remove(_ number: Int, of id: String) {
    state.withLock { state in
      state.listeners[id]?[number] = nil
      if state.listeners[id]?.isEmpty == true { state.listeners[id] = nil }
    }
  }

  /// True if nobody listens to any case.
  package var isIdle: Bool { state.withLock(\.listeners.isEmpty) }

  package func hasListeners(of id: String) -> Bool { state.withLock { $0.listeners[id] != nil } }

  package func send(_ message: Message, about id: String) {
    let listeners = state.withLock { $0.listeners.isEmpty ? nil : $0.listeners[id] }
    for listener in (listeners ?? [:]).values { listener.yield(message) }
  }

  /// Sends a message to the listeners of all cases.
  func sendToAll(_ message: Message) {
    for listener in state.withLock({ $0.listeners.values.flatMap(\.values) }) {
      listener.yield(message)
    }
  }

  /// Ends all sequences.
  package func end() {
    let listeners = state.withLock { state in
      state.isOver = true
      defer { state.listeners = [:] }
      return state.listeners.values.flatMap(\.values)
    }
    for listener in listeners { listener.finish() }
  }
}
