import Platform

/// A provider of a capability, which counts its callers and answers on request.
final class Provider: Sendable {
  private struct State {
    var asked: [String] = []
    var cancelled: [String] = []
    var waiting: [(number: Int, continuation: CheckedContinuation<String, any Error>)] = []
    var listeners: [(isThere: @Sendable (State) -> Bool, go: CheckedContinuation<Void, Never>)] = []

    mutating func takeListeners() -> [CheckedContinuation<Void, Never>] {
      let state = self
      defer { listeners.removeAll { $0.isThere(state) } }
      return listeners.filter { $0.isThere(state) }.map(\.go)
    }

    mutating func take(_ number: Int) -> CheckedContinuation<String, any Error>? {
      let index = waiting.firstIndex { $0.number == number }
      return index.map { waiting.remove(at: $0).continuation }
    }

    func number(of what: String) -> Int { (asked.firstIndex(of: what) ?? -1) + 1 }
  }

  struct Declined: Error, CustomStringConvertible {
    let description = "declined"
  }

  private let state = Mutex(State())
  /// True if a request ends without an answer when its task is cancelled.
  private let heedsCancellation: Bool

  init(heedsCancellation: Bool = false) { self.heedsCancellation = heedsCancellation }

  /// The requests, in order.
  var asked: [String] { state.withLock { $0.asked } }
  /// The requests whose tasks were cancelled.
  var cancelled: [String] { state.withLock { $0.cancelled } }

  func ask(_ what: String) async throws -> String {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let heard = state.withLock { state in
          state.asked.append(what)
          state.waiting.append((state.asked.count, continuation))
          return state.takeListeners()
        }
        for listener in heard { listener.resume() }
      }
    } onCancel: {
      let (continuation, heard) = state.withLock { state in
        state.cancelled.append(what)
        let continuation = heedsCancellation ? state.take(state.number(of: what)) : nil
        return (continuation, state.takeListeners())
      }
      continuation?.resume(throwing: CancellationError())
      for listener in heard { listener.resume() }
    }
  }

  /// Waits until it has been asked so often.
  func isAsked(times count: Int = 1) async { await wait { $0.asked.count >= count } }

  /// Waits until a task that asked it was cancelled.
  func isCancelled() async { await wait { !$0.cancelled.isEmpty } }

  private func wait(_ isThere: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let heard = state.withLock { state in
        state.listeners.append((isThere, continuation))
        return state.takeListeners()
      }
      for listener in heard { listener.resume() }
    }
  }

  /// Answers the call of that number, counted from 1.
  func answer(_ text: String, to number: Int = 1) {
    state.withLock { $0.take(number) }?.resume(returning: text)
  }

  func decline(_ number: Int = 1) {
    state.withLock { $0.take(number) }?.resume(throwing: Declined())
  }

  /// Answers what it was asked, whenever that was.
  func answer(_ text: String, to what: String) { answer(text, to: number(of: what)) }

  func decline(_ what: String) { decline(number(of: what)) }

  private func number(of what: String) -> Int { state.withLock { $0.number(of: what) } }
}
