import FlowLanguage
import LuaRuntime
import Synchronization

/// Capabilities that answer later: each call runs as a task of its own, and its answer waits here until
/// the engine takes it in.
///
/// A call that nobody waits for any more is cancelled. What it has done all the same is reported, since
/// nothing else would tell of it. All this knows no engine, so that it can outlive one: a host has the
/// same calls whichever text of its flow is at work.
package final class PendingCalls: Sendable {
  /// Who called what.
  package struct Caller: Sendable, CustomStringConvertible {
    package let capability: String
    /// The effect, and the transition that it belongs to.
    package let effect: String
    package let revision: Int
    package let place: SourcePlace

    package init(capability: String, effect: String, revision: Int, place: SourcePlace) {
      (self.capability, self.effect) = (capability, effect)
      (self.revision, self.place) = (revision, place)
    }

    package var description: String {
      "\(capability), called by \(effect) (#\(revision), \(place)),"
    }
  }

  private final class Call: Sendable {
    struct State {
      package var task: Task<Void, Never>?
      package var answer: Result<Value, any Error>?
      /// Why nobody waits for it any more.
      package var end: String?
    }

    let caller: Caller
    let state = Mutex(State())

    init(_ caller: Caller) { self.caller = caller }
  }

  private struct Book {
    /// The calls whose answers somebody waits for.
    var calls: [Int: Call] = [:]
    var onAnswer: (@Sendable (Int) async -> Void)?
  }

  private let book = Mutex(Book())
  private let report: @Sendable (Report) -> Void

  package init(report: @escaping @Sendable (Report) -> Void = { _ in }) { self.report = report }

  /// Has `take` called in the task of each call that has answered, with its number.
  package func onAnswer(_ take: @escaping @Sendable (_ call: Int) async -> Void) {
    book.withLock { $0.onAnswer = take }
  }

  /// Makes a call.
  ///
  /// - Parameter inheriting: whether it has the task-locals of whoever is just here, or none.
  package func start(
    _ number: Int, by caller: Caller, inheriting: Bool,
    _ body: @escaping @Sendable () async throws -> Value
  ) {
    let call = Call(caller)
    book.withLock { $0.calls[number] = call }
    let run: @Sendable () async -> Void = { [self] in
      let answer: Result<Value, any Error>
      do { answer = .success(try await body()) } catch { answer = .failure(error) }
      await ended(call, number, answer)
    }
    call.state.withLock { state in
      state.task = inheriting ? Task { await run() } : Task.detached { await run() }
    }
  }

  private func ended(_ call: Call, _ number: Int, _ answer: Result<Value, any Error>) async {
    let end: String? = call.state.withLock { state in
      (state.answer, state.task) = (answer, nil)
      return state.end
    }
    if let end { return tell(call.caller, answer, end) }
    await book.withLock(\.onAnswer)?(number)
  }

  /// Takes an answer in, if it has come and somebody waits for it.
  package func take(_ number: Int) -> Result<Value, TaskError>? {
    book.withLock { book in
      guard let call = book.calls[number], let answer = call.state.withLock(\.answer) else {
        return nil
      }
      book.calls[number] = nil
      return answer.mapError { TaskError(message: "\(call.caller.capability): \($0)") }
    }
  }

  /// The calls whose answers somebody waits for.
  package var currentWork: [Int] { book.withLock { $0.calls.keys.sorted() } }

  /// Nobody waits for a call any more: it is cancelled, or its answer is reported if that has come.
  package func cancel(_ number: Int, because reason: String) {
    guard let call = book.withLock({ $0.calls.removeValue(forKey: number) }) else { return }
    let (task, answer) = call.state.withLock { state in
      state.end = reason
      return (state.task, state.answer)
    }
    if let answer { tell(call.caller, answer, reason) } else { task?.cancel() }
  }

  /// The same for all of them, but for those that somebody waits for still.
  package func cancelAll(because reason: String, but isKept: (Int) -> Bool = { _ in false }) {
    for number in currentWork where !isKept(number) { cancel(number, because: reason) }
  }

  /// Says how a call has ended that was given up; that it was cancelled goes without saying.
  private func tell(_ caller: Caller, _ answer: Result<Value, any Error>, _ reason: String) {
    switch answer {
    case .success(let value):
      report(.unheard("\(caller) answered \(value.text(limit: 200))", because: reason))
    case .failure(is CancellationError): break
    case .failure(let error): report(.unheard("\(caller) failed (\(error))", because: reason))
    }
  }
}
