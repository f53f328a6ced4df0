import FlowLanguage
import LuaRuntime
import Platform

/// The calls of capabilities that answer later: each runs as a task of its own, and its answer waits here for the
/// engine.
///
/// A call for which nothing waits any more is cancelled. If it still completes, its result is reported, since the flow
/// does not learn of it. This type does not refer to an engine, so that it can outlive one: a host has the same calls
/// whichever version of its flow runs.
package final class PendingCalls: Sendable {
  /// The caller of a capability.
  package struct Caller: Sendable, CustomStringConvertible {
    package let capability: String
    /// The effect, and the revision of the commit that it belongs to.
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
      /// The reason why nothing waits for the call any more; nil while something does.
      package var end: String?
    }

    let caller: Caller
    let state = Mutex(State())

    init(_ caller: Caller) { self.caller = caller }
  }

  private struct Book {
    /// The calls for whose answers something waits.
    var calls: [Int: Call] = [:]
    var onAnswer: (@Sendable (Int) async -> Void)?
  }

  private let book = Mutex(Book())
  private let report: @Sendable (Report) -> Void

  package init(report: @escaping @Sendable (Report) -> Void = { _ in }) { self.report = report }

  /// Sets the function that is called with a call's number, in its task, when the call has answered.
  package func onAnswer(_ take: @escaping @Sendable (_ call: Int) async -> Void) {
    book.withLock { $0.onAnswer = take }
  }

  /// Starts a call.
  ///
  /// - Parameter inheriting: true to inherit the caller's task-locals, false for none.
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
    if let end { return reportUndelivered(call.caller, answer, end) }
    await book.withLock(\.onAnswer)?(number)
  }

  /// Removes and returns an answer; nil if it has not come, or if nothing waits for it.
  package func take(_ number: Int) -> Result<Value, TaskError>? {
    book.withLock { book in
      guard let call = book.calls[number], let answer = call.state.withLock(\.answer) else {
        return nil
      }
      book.calls[number] = nil
      return answer.mapError { TaskError(message: "\(call.caller.capability): \($0)") }
    }
  }

  /// The numbers of the pending calls: an effect waits for the answer of each.
  package var currentWork: [Int] { book.withLock { $0.calls.keys.sorted() } }

  /// Cancels a call for which nothing waits any more; if it has answered already, reports the answer.
  package func cancel(_ number: Int, because reason: String) {
    guard let call = book.withLock({ $0.calls.removeValue(forKey: number) }) else { return }
    let (task, answer) = call.state.withLock { state in
      state.end = reason
      return (state.task, state.answer)
    }
    if let answer { reportUndelivered(call.caller, answer, reason) } else { task?.cancel() }
  }

  /// Cancels all calls, except for those that something still waits for.
  package func cancelAll(because reason: String, but isKept: (Int) -> Bool = { _ in false }) {
    for number in currentWork where !isKept(number) { cancel(number, because: reason) }
  }

  /// Reports the result of a call that was given up, unless it was cancelled.
  private func reportUndelivered(
    _ caller: Caller, _ answer: Result<Value, any Error>, _ reason: String
  ) {
    switch answer {
    case .success(let value):
      report(.unheard("\(caller) answered \(value.text(limit: 200))", because: reason))
    case .failure(is CancellationError): break
    case .failure(let error): report(.unheard("\(caller) failed (\(error))", because: reason))
    }
  }
}
