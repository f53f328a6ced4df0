import Synchronization

/// A capability's other side: counts who asked it, and answers when it is told to.
final class Provider: Sendable {
  private struct State {
    var asked: [String] = []
    var waiting: [(number: Int, continuation: CheckedContinuation<String, any Error>)] = []
    var listeners: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  struct Declined: Error, CustomStringConvertible {
    let description = "declined"
  }

  private let state = Mutex(State())

  /// What it was asked, in order.
  var asked: [String] { state.withLock { $0.asked } }

  func ask(_ what: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      let heard = state.withLock { state in
        state.asked.append(what)
        state.waiting.append((state.asked.count, continuation))
        let count = state.asked.count
        let heard = state.listeners.filter { $0.count <= count }
        state.listeners.removeAll { $0.count <= count }
        return heard
      }
      for listener in heard { listener.continuation.resume() }
    }
  }

  /// Waits until it has been asked so often.
  func isAsked(times count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.asked.count >= count { return true }
        state.listeners.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Answers the call of that number, counted from 1.
  func answer(_ text: String, to number: Int = 1) {
    take(number)?.resume(returning: text)
  }

  func decline(_ number: Int = 1) { take(number)?.resume(throwing: Declined()) }

  private func take(_ number: Int) -> CheckedContinuation<String, any Error>? {
    state.withLock { state in
      let index = state.waiting.firstIndex { $0.number == number }
      return index.map { state.waiting.remove(at: $0).continuation }
    }
  }
}
