import LuaRuntime
import Synchronization

/// Capabilities that answer later: each runs as a task of its own; its answer waits here until the
/// engine takes it in.
package final class PendingCalls: Sendable {
  private struct Inbox {
    var answers: [(call: Int, answer: Result<Value, TaskError>)] = []
    var wake: (@Sendable () -> Void)?
    var open = 0
  }

  private let inbox = Mutex(Inbox())

  package init() {}

  /// Called, on any thread, whenever an answer has come.
  package func onAnswer(_ wake: @escaping @Sendable () -> Void) {
    let isWaiting = inbox.withLock { inbox in
      inbox.wake = wake
      return !inbox.answers.isEmpty
    }
    if isWaiting { Task { wake() } }
  }

  func start(
    _ call: Int, _ name: String, _ body: @escaping @Sendable ([Value]) async throws -> Value,
    _ arguments: [Value]
  ) {
    inbox.withLock { $0.open += 1 }
    Task {
      let answer: Result<Value, TaskError>
      do {
        answer = .success(try await body(arguments))
      } catch {
        answer = .failure(TaskError(message: "\(name): \(error)"))
      }
      let wake = inbox.withLock { inbox in
        inbox.answers.append((call, answer))
        inbox.open -= 1
        return inbox.wake
      }
      wake?()
    }
  }

  /// Whether an answer is still to come or to be taken in.
  var isOpen: Bool { inbox.withLock { $0.open > 0 || !$0.answers.isEmpty } }

  func take() -> [(call: Int, answer: Result<Value, TaskError>)] {
    inbox.withLock { inbox in
      defer { inbox.answers = [] }
      return inbox.answers
    }
  }
}

extension Engine {
  /// Starts a capability that answers later.
  func startCall(
    _ number: Int, _ body: @escaping @Sendable ([Value]) async throws -> Value,
    _ arguments: [Value], _ name: String
  ) {
    hasCalledLate = true
    pendingCalls.start(number, name, body, arguments)
  }

  /// Goes on with the effects whose capabilities have answered, and runs what they dispatched.
  package func takeAnswers() {
    for (call, answer) in pendingCalls.take() { take(answer, to: call) }
    runQueue()
  }

  /// Goes on with the effect that waits for the call.
  func take(_ answer: Result<Value, TaskError>, to call: Int) {
    guard let effect = effects.waiting(for: call) else { return }
    if transcript != nil { transcript?.entries.append(.answer(call: call, answer.recorded)) }
    queue.outsideCame()
    go(on: effect, with: answer.map { [$0] })
  }
}

extension Result where Success == Value, Failure == TaskError {
  fileprivate var recorded: Transcript.Answer {
    switch self {
    case .success(let value): .value(value)
    case .failure(let error): .error(error.message)
    }
  }
}
