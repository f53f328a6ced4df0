import LuaRuntime
import StateBlocks
import Platform

/// A stub of a capability, which a test answers: in advance, always alike, or by hand while an effect waits.
///
/// ```swift
/// let charge = CapabilityStub<String>()
/// let tester = try await FlowTester(flow: url) { scopes in
///   scopes.root.provide("charge", charge)
/// }
/// try await tester.send("pay") { $0["order"] = "paying" }
/// charge.answer("r-1")
/// try await tester.receive("paid", ["receipt": "r-1"]) { $0["order"] = "done" }
/// print(charge.calls)  // [[250]]
/// ```
public final class CapabilityStub<Answer: Encodable & Sendable>: Sendable {
  private struct State {
    var calls: [[Value]] = []
    /// The answers to the next calls, in order.
    var answers: [Result<Answer, any Error>] = []
    /// The calls that wait for an answer, in order.
    var waiting: [Promise<Result<Answer, any Error>>] = []
    /// The answer to each call for which there is no other.
    var constant: Answer?
  }

  private let state: Mutex<State>

  /// Makes a stub that gives these answers to the first calls, and lets further ones wait.
  public init(_ answers: Answer...) {
    state = Mutex(State(answers: answers.map { .success($0) }))
  }

  /// Makes a stub that gives every call the same answer.
  public init(always answer: Answer) { state = Mutex(State(constant: answer)) }

  /// The arguments of each call so far, in order.
  public var calls: [[Value]] { state.withLock(\.calls) }

  /// The number of calls that wait for an answer.
  public var waiting: Int { state.withLock(\.waiting.count) }

  /// Answers the oldest call that waits, or else the next one.
  public func answer(_ answer: Answer) { end(.success(answer)) }

  /// Throws an error in the oldest call that waits, or else in the next one.
  public func fail(_ error: any Error) { end(.failure(error)) }

  private func end(_ result: Result<Answer, any Error>) {
    let promise = state.withLock { state -> Promise<Result<Answer, any Error>>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.answers.append(result)
      return nil
    }
    promise?.fulfill(result)
  }

  /// Answers a call of a script, or waits until the test does; a call that is cancelled waits no longer.
  func call(_ arguments: [Value]) async throws -> Answer {
    let promise = Promise<Result<Answer, any Error>>()
    let known = state.withLock { state -> Result<Answer, any Error>? in
      state.calls.append(arguments)
      if !state.answers.isEmpty { return state.answers.removeFirst() }
      if let constant = state.constant { return .success(constant) }
      state.waiting.append(promise)
      return nil
    }
    if let known { return try known.get() }
    return try await withTaskCancellationHandler {
      try await promise.value.get()
    } onCancel: {
      state.withLock { $0.waiting.removeAll { $0 === promise } }
      promise.fulfill(.failure(CancellationError()))
    }
  }
}
