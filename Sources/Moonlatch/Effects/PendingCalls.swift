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
  ///
  /// Gives the number that the effect waits for.
  func startCall(
    _ body: @escaping @Sendable ([Value]) async throws -> Value, _ arguments: [Value],
    _ name: String
  ) -> Int {
    lastCall += 1
    pendingCalls.start(lastCall, name, body, arguments)
    return lastCall
  }

  /// Goes on with the effects whose capabilities have answered, and runs what they dispatched.
  package func takeAnswers() {
    for (call, answer) in pendingCalls.take() {
      guard let task = effects.task(waitingFor: call) else { continue }
      queue.outsideCame()
      go(on: task, with: answer.map { [$0] })
    }
    runQueue()
  }
}

extension RunningEffects {
  func task(waitingFor call: Int) -> LuaTask? { waiting.first { $0.value.call == call }?.key }
}
