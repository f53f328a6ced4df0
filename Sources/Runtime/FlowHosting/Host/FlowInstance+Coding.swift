import FlowKernel
import LuaRuntime

/// Payloads, views and the state as Swift types.
///
/// A payload that cannot be encoded is a failure of kind `payload`. Encoding and decoding run on the actor of
/// the caller, so that a type whose conformance belongs to the main actor can be used there.
extension FlowInstance {
  /// Dispatches an action with a payload of a Swift type, and runs what its effects dispatch.
  ///
  /// ```swift
  /// try await host.dispatch("add", Item(name: "tea", price: 3.5), by: "ann")
  /// ```
  ///
  /// - Throws: as `dispatch(_:_:by:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: some Encodable, by who: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Outcome {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try await dispatch(action, value, by: who)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Dispatches an action with a payload of a Swift type once: a second dispatch with the same key returns the
  /// answer to the first.
  ///
  /// - Throws: as `dispatch(_:_:key:by:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    _ action: String, _ payload: some Encodable, key: String, by who: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Outcome {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try await dispatch(action, value, key: key, by: who)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Dispatches an action with a payload of a Swift type, and waits until the effects that it started have
  /// ended.
  ///
  /// - Throws: as `dispatchAndWait(_:_:by:)` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func dispatchAndWait(
    _ action: String, _ payload: some Encodable, by who: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Outcome {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try await dispatchAndWait(action, value, by: who)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Dispatches actions with payloads of Swift types one after the other in one turn.
  ///
  /// ```swift
  /// let outcomes = try await order.dispatch(batch: lines.map { ("add", $0) }, by: "ann")
  /// ```
  ///
  /// A payload that cannot be encoded is a failure of kind `payload`, and does not stop the others.
  ///
  /// - Returns: the outcomes, in the order of the actions.
  /// - Throws: as `dispatch(batch:by:)` with plain payloads.
  @_disfavoredOverload @discardableResult
  public func dispatch(
    batch actions: [(action: String, payload: any Encodable)], by who: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Outcome] {
    var encoded: [(action: String, payload: Value)] = []
    var failures: [Int: DispatchFailure] = [:]
    for (index, (action, payload)) in actions.enumerated() {
      switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
      case .success(let value): encoded.append((action, value))
      case .failure(let failure): failures[index] = failure
      }
    }
    var outcomes = try await dispatch(batch: encoded, by: who)
    for (index, failure) in failures.sorted(by: { $0.key < $1.key }) {
      outcomes.insert(.failed(failure), at: min(index, outcomes.count))
    }
    return outcomes
  }

  /// Returns whether an action may pass now with a payload of a Swift type, and if not, why.
  ///
  /// - Throws: as `may(_:_:by:)` with a plain payload.
  @_disfavoredOverload
  public func may(
    _ action: String, _ payload: some Encodable, by who: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Permission {
    switch Result<Value, DispatchFailure>(encoding: payload, for: action) {
    case .success(let value): try await may(action, value, by: who)
    case .failure(let failure): .failed(failure)
    }
  }

  /// Returns the value of a view.
  ///
  /// - Throws: `ViewError`; an error of the journal.
  public func view(_ name: String) async throws -> Value {
    try await view(name, fresh: false).value
  }

  /// Returns the value of a view as a Swift type.
  ///
  /// ```swift
  /// let items: [Item] = try await order.view("items")
  /// ```
  ///
  /// - Throws: as `view(_:)`; `ViewError.mismatch` if the value is not of that type.
  public func view<Answer: Decodable>(
    _ name: String, as type: Answer.Type = Answer.self,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Answer {
    let value = try await view(name, fresh: false).value
    return try ViewError.decode(type, from: value, of: name)
  }

  /// Returns a copy of the whole state.
  ///
  /// - Throws: as `state(fresh:)`.
  public func state() async throws -> Value { try await state(fresh: false).value }

  /// Returns a copy of the whole state as a Swift type.
  ///
  /// - Throws: as `state(fresh:)`; a `DecodingError` if the state is not of that type.
  public func state<Answer: Decodable>(
    as type: Answer.Type, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Answer {
    let value = try await state(fresh: false).value
    return try value.decoded(as: type)
  }
}
