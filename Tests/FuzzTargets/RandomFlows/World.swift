import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

/// The world behind a random flow's capabilities.
///
/// Its answers depend only on the question and on how often it has answered that call before.
final class World: Sendable {
  /// A call that the world has received.
  struct Asked: Sendable, Hashable, CustomStringConvertible {
    let id: String
    let name: String
    let argument: Value
    /// The number of times the world had answered that call.
    let attempt: Int

    var description: String { "\(name)(\(argument)) \(id), attempt \(attempt)" }
  }

  private struct Failure: Error, CustomStringConvertible { let description = "not this time" }

  private struct State {
    /// The number of answers to each call.
    var answered: [String: Int] = [:]
    /// All calls in order, including those after a restart.
    var asked: [Asked] = []
    /// The calls that wait for an answer.
    var waiting: [String: (asked: Asked, continuation: CheckedContinuation<Value, any Error>)] = [:]
    /// The calls that were cancelled before they arrived.
    var givenUp: Set<String> = []
  }

  private let state: Mutex<State>
  /// A function that is called within each immediate call, before it is answered.
  private let inside: Mutex<(@Sendable (Asked) -> Void)?> = Mutex(nil)

  init() { state = Mutex(State()) }

  private init(_ answered: [String: Int], _ asked: [Asked]) {
    state = Mutex(State(answered: answered, asked: asked))
  }

  /// Returns the world as another process finds it, without the waiting calls.
  func restarted() -> World {
    let (answered, asked) = state.withLock { ($0.answered, $0.asked) }
    return World(answered, asked)
  }

  /// Sets a function that is called within each immediate call.
  func onCall(_ body: (@Sendable (Asked) -> Void)?) { inside.withLock { $0 = body } }

  var asked: [Asked] { state.withLock(\.asked) }
  /// Returns the number of answers to a call.
  func answers(to id: String) -> Int { state.withLock { $0.answered[id] ?? 0 } }
  var waiting: [String] { state.withLock { $0.waiting.keys.sorted() } }

  // MARK: Capabilities

  func lend(_ capabilities: [RandomFlow.Capability], to scopes: inout HostScopes) {
    for capability in capabilities {
      let name = capability.name
      if capability.answersLater {
        scopes.root.provide(name) { [self] (call: CallID, argument: Value) async throws -> Value in
          try await later(recordCall(name, argument, call))
        }
      } else {
        scopes.root.provide(name) { [self] (call: CallID, argument: Value) throws -> Value in
          let asked = recordCall(name, argument, call)
          inside.withLock { $0 }?(asked)
          return try answer(to: asked)
        }
      }
    }
  }

  private func recordCall(_ name: String, _ argument: Value, _ call: CallID) -> Asked {
    state.withLock { state in
      // The id has no journal id, because cases of two journals are compared.
      let id = "\(call.flow)/\(call.case)/e\(call.effect)/\(call.position)"
      let asked = Asked(
        id: id, name: name, argument: argument, attempt: state.answered[id] ?? 0)
      state.asked.append(asked)
      return asked
    }
  }

  private func later(_ asked: Asked) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isGivenUp = state.withLock { state in
          if state.givenUp.remove(asked.id) != nil { return true }
          state.waiting[asked.id] = (asked, continuation)
          return false
        }
        if isGivenUp { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
        if let waiting = state.waiting.removeValue(forKey: asked.id) { return waiting.continuation }
        state.givenUp.insert(asked.id)
        return nil
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  // MARK: Answers

  private func answer(to asked: Asked) throws -> Value {
    state.withLock { $0.answered[asked.id, default: 0] += 1 }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(asked.name) \(asked.argument) \(asked.attempt)".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    let fails = RandomFlow.lent.contains { $0.name == asked.name && $0.fails }
    if fails, asked.attempt < 6, hash >> 7 & 3 < 2 { throw Failure() }
    return .integer(Int(hash >> 11 & 7))
  }

  /// Answers a waiting call.
  func answer(_ id: String) {
    guard let (asked, continuation) = state.withLock({ $0.waiting.removeValue(forKey: id) }) else {
      return
    }
    continuation.resume(with: Result { try answer(to: asked) })
  }
}
